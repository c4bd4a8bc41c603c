package toolserver

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/peerwright/peerwright/internal/redact"
)

// journal writes Options.Log, without secrets.
type journal struct {
	to      *slog.Logger // nil for nobody
	secrets *redact.Redactor
}

// call tells of a call that has been answered.
func (j journal) call(ctx context.Context, c Call, res Result, took time.Duration) {
	if j.to == nil || !j.to.Enabled(ctx, slog.LevelInfo) {
		return
	}
	about := []any{"tool", c.Tool, "caller", j.plain(c.Caller), "outcome", string(res.Outcome), "duration", took}
	if res.Failure != nil {
		about = append(about, "class", string(res.Failure.Class), "error", j.plain(res.Text))
	}
	j.to.InfoContext(ctx, "call", about...)
}

// failed tells of what went wrong.
func (j journal) failed(ctx context.Context, what string, err error, more ...any) {
	if j.to != nil && err != nil {
		j.to.ErrorContext(ctx, what, append([]any{"error", j.plain(err.Error())}, more...)...)
	}
}

// panicked tells of a panic with its stack, and returns it as the error that the client is
// told of.
func (j journal) panicked(ctx context.Context, whose string, value any, stack []byte) error {
	err := fmt.Errorf("%s panicked: %s", whose, j.plain(fmt.Sprint(value)))
	j.failed(ctx, "panic", err, "stack", j.plain(string(stack)))
	return err
}

// plain takes the secrets out of a text.
func (j journal) plain(text string) string { return string(j.secrets.Text([]byte(text))) }
