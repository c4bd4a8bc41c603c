package recorder

import (
	"context"
	"io"

	"github.com/peerwright/peerwright/internal/transport/stdio"
)

// Stdio runs the command in the place of this program and records what passes; a
// client starts this program where it would start the server. It returns the exit
// status of the command, -1 when the error says that it did not start. The caller
// closes the recorder.
func Stdio(ctx context.Context, command []string, stdin io.Reader, stdout, stderr io.Writer, r *Recorder) (int, error) {
	return stdio.Wrap(ctx, stdio.Command{Args: command}, stdin, stdout, stderr, r.Tap()) //nolint:wrapcheck // it is Wrap
}
