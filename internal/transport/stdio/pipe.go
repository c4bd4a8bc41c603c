package stdio

import (
	"context"
	"io"
	"net"

	"github.com/peerwright/peerwright/internal/transport"
)

// DialPipe puts a server inside this process behind a Conn: serve stands where a
// child would, with pipes in memory for its stdin and stdout. Its context ends with
// ctx, and on the rung of the ladder on which a child gets SIGTERM; on the next its
// pipes are closed. When it returns, the conversation ends with an *ExitError that
// wraps its error.
func DialPipe(ctx context.Context, serve func(ctx context.Context, r io.Reader, w io.Writer) error, opts transport.Options) *Conn {
	theirStdin, stdin := net.Pipe()
	stdout, theirStdout := net.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	f := &function{cancel: cancel, pipes: []io.Closer{theirStdin, theirStdout}, gone: make(chan struct{})}
	go f.live(func() error { return serve(ctx, theirStdin, theirStdout) })
	conn := newConn(f, stdin, &source{stream: stdout}, opts)
	conn.grace = DefaultGrace
	close(conn.stderr.done) // it has none
	conn.run(opts.Limit)
	return conn
}

// function is the process behind DialPipe.
type function struct {
	cancel context.CancelFunc
	pipes  []io.Closer // its own ends
	gone   chan struct{}
	err    error // what it returned; set before gone is closed
}

func (f *function) live(serve func() error) {
	f.err = serve()
	close(f.gone)
	f.cancel()
	f.kill()
}

func (f *function) ended() <-chan struct{} { return f.gone }

func (f *function) state() (State, error) {
	s := State{Ended: true}
	if f.err != nil {
		s.Code = 1
	}
	return s, f.err
}

func (f *function) empty() bool {
	select {
	case <-f.gone:
		return true
	default:
		return false
	}
}

func (f *function) terminate() { f.cancel() }

func (f *function) kill() {
	for _, p := range f.pipes {
		_ = p.Close()
	}
}

func (f *function) name() []string { return nil }
