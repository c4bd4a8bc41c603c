package mcppeer

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// stdioProbe speaks raw lines to a server of the package.
type stdioProbe struct {
	in    *io.PipeWriter
	lines chan []byte
	ended chan error
}

func newStdio(t *testing.T) *probe {
	t.Helper()
	return newStdioOf(t, Options{Step: time.Millisecond})
}

func newStdioOf(t *testing.T, o Options) *probe {
	t.Helper()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	l := &stdioProbe{in: in, lines: make(chan []byte, 1000), ended: make(chan error, 1)}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		err := New(o).ServeStdio(ctx, stdin, stdout)
		_ = stdout.Close()
		l.ended <- err
	}()
	go func() {
		defer close(l.lines)
		for r := wire.NewLineReader(out, 0); ; {
			line, err := r.Next()
			if err != nil {
				return
			}
			l.lines <- line.Content()
		}
	}()
	t.Cleanup(func() { stop(); _ = in.Close() })
	return &probe{t: t, line: l}
}

func (l *stdioProbe) write(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(l.in, line+"\n"); err != nil {
		t.Fatalf("writing a line: %v", err)
	}
}

func (l *stdioProbe) next(t *testing.T) wire.Message {
	t.Helper()
	select {
	case line, ok := <-l.lines:
		if !ok {
			t.Fatal("the server has closed its end")
		}
		return wire.Parse(line)
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
	}
	return wire.Message{}
}

// ask writes a line and reads what comes up to the answer. What wants no answer is
// followed by a ping, whose answer is the end.
func (l *stdioProbe) ask(t *testing.T, body string) reply {
	t.Helper()
	l.write(t, body)
	silent := wire.Parse([]byte(body)).Kind == wire.KindNotification
	if silent {
		l.write(t, `{"jsonrpc":"2.0","id":"fence","method":"ping"}`)
	}
	r := reply{status: http.StatusOK}
	for {
		m := l.next(t)
		if silent && m.ID.String() == `"fence"` {
			r.status = http.StatusAccepted
			return r
		}
		r.body += string(m.Raw) + "\n"
		if m.Kind == wire.KindBatch {
			r.messages = m.Batch
			return r
		}
		r.messages = append(r.messages, m)
		if m.IsResponse() {
			return r
		}
	}
}
