package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

var errClosedHere = errors.New("closed by this side")

// Conn is a conversation with a server over its standard streams. Dial and DialPipe
// make one.
type Conn struct {
	proc   process
	stdin  io.WriteCloser
	stdout *source
	stderr *stderrLog
	tap    wire.Tap
	grace  time.Duration

	out      *transport.Outbox
	in       *transport.Queue
	answered atomic.Bool

	closing, hurry       chan struct{}
	closeOnce, hurryOnce sync.Once
	inputOnce            sync.Once
	inOver               chan struct{} // nothing more comes: the queue is closed
	done                 chan struct{} // the process is gone and everything let go
	exit                 ExitInfo      // valid once done
}

var _ transport.Conn = (*Conn)(nil)

// Dial starts the command as an MCP server. The context bounds the start only. The
// error wraps transport.ErrUnreachable when the command cannot be started.
//
// What it writes to stdout arrives line by line, text that is no message included,
// but for blank lines, which only the tap sees. A line over Options.Limit arrives as
// an Incoming whose Err is a *wire.TooLongError. When the server dies, Receive and
// Send fail with a *ExitError.
func Dial(ctx context.Context, command Command, opts transport.Options) (*Conn, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", transport.ErrUnreachable, context.Cause(ctx))
	}
	c, err := startChild(ctx, command)
	if err != nil {
		return nil, err
	}
	conn := newConn(c, c.stdin, c.stdout, opts)
	conn.grace = command.grace()
	go conn.stderr.drain(c.stderr)
	conn.run(opts.Limit, c.stderr)
	return conn, nil
}

func newConn(p process, stdin io.WriteCloser, stdout *source, opts transport.Options) *Conn {
	c := &Conn{
		proc: p, stdin: stdin, stdout: stdout, stderr: newStderrLog(opts.Tap), tap: opts.Tap,
		in:      transport.NewQueue(),
		closing: make(chan struct{}), hurry: make(chan struct{}),
		inOver: make(chan struct{}), done: make(chan struct{}),
	}
	c.out = transport.NewOutbox(c.write)
	return c
}

// run starts reading, and sees to the end; release is closed last.
func (c *Conn) run(limit int, release ...io.Closer) {
	go c.read(limit)
	go c.tend(release)
}

// Send writes out.Raw to the server's stdin as it is, and a newline where it does
// not end in one, so that a suite can send whatever bytes it likes. Headers are
// ignored. When the context ends first, the server may still get the message: it is
// written whole as soon as it reads on.
func (c *Conn) Send(ctx context.Context, out transport.Outgoing) (transport.Delivery, error) {
	if err := c.in.Err(); err != nil {
		return transport.Delivery{}, fmt.Errorf("sending to the server: %w: %w", transport.ErrNotSent, err)
	}
	err := c.out.Send(ctx, terminated(out.Raw))
	if errors.Is(err, transport.ErrClosed) {
		err = c.whyClosed(err)
	}
	if err != nil {
		return transport.Delivery{}, fmt.Errorf("sending to the server: %w", err)
	}
	return transport.Delivery{}, nil
}

// whyClosed gives a failed write the cause that is about to be known.
func (c *Conn) whyClosed(err error) error {
	select {
	case <-c.inOver:
		return c.in.Err()
	case <-c.closing:
		return fmt.Errorf("%w: %w", transport.ErrClosed, errClosedHere)
	case <-time.After(settle):
		return fmt.Errorf("the server no longer reads its stdin: %w", err)
	}
}

func terminated(raw []byte) []byte {
	if len(raw) > 0 && raw[len(raw)-1] == '\n' {
		return raw
	}
	line := make([]byte, 0, len(raw)+1)
	return append(append(line, raw...), '\n')
}

func (c *Conn) write(line []byte) error {
	c.tap.See(wire.Frame{Dir: wire.Out, Kind: wire.FrameMessage, Data: line})
	if _, err := c.stdin.Write(line); err != nil {
		return fmt.Errorf("writing to stdin: %w", err)
	}
	return nil
}

// Receive implements transport.Conn.
func (c *Conn) Receive(ctx context.Context) (transport.Incoming, error) { return c.in.Get(ctx) }

// Negotiated implements transport.Conn; nothing on stdio names the revision.
func (c *Conn) Negotiated(string) {}

// EndInput closes the server's stdin and waits until the server has exited or the
// context ends: a wait of the caller's choosing, where Close has one of its own. It
// tells whether the server has exited. Close is still to be called.
func (c *Conn) EndInput(ctx context.Context) bool {
	c.closeStdin()
	select {
	case <-c.proc.ended():
		return true
	case <-ctx.Done():
		return false
	}
}

// Close closes the server's stdin and waits for its end, then sends SIGTERM, then
// SIGKILL, to its process group. When the context ends, it kills at once. It returns
// when no process of the group is left, and fails only if one could not be ended.
func (c *Conn) Close(ctx context.Context) error {
	c.closeOnce.Do(func() { close(c.closing) })
	select {
	case <-c.done:
	case <-ctx.Done():
		c.hurryOnce.Do(func() { close(c.hurry) })
		<-c.done
	}
	if !c.proc.empty() {
		return errors.New("closing the server: it could not be ended")
	}
	return nil
}

// Exit tells how the server ended. It is zero before Close has returned.
func (c *Conn) Exit() ExitInfo {
	select {
	case <-c.done:
		return c.exit
	default:
		return ExitInfo{}
	}
}
