package stdio

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/peerwright/peerwright/internal/wire"
)

// errTapStuck tells that the last frames did not reach the tap.
var errTapStuck = errors.New("the tap has not taken the last frames; the recording is not whole")

// Wrap runs the command in the place of this program: its streams are the client's
// own. Bytes pass unchanged and at once, a piece of a line as well; the tap sees the
// lines beside that, from a goroutine of its own, and can never hold them up (a tap
// that falls 32 MiB behind is told how many bytes it missed). SIGINT, SIGTERM and
// SIGHUP are passed on. A context that ends closes the child by the ladder.
//
// It returns when the child has ended, with its exit status as a shell tells it,
// even while the client keeps stdin open; a Read of stdin that is under way is then
// left to end by itself. The status is -1 when the error tells that the command did
// not start.
func Wrap(ctx context.Context, command Command, stdin io.Reader, stdout, stderr io.Writer, tap wire.Tap) (int, error) {
	signals := make(chan os.Signal, 8)
	// SIGPIPE is caught only so that a client that closes its end does not end us.
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer signal.Stop(signals)
	c, err := startChild(ctx, command)
	if err != nil {
		return -1, err
	}
	w := &wrapping{child: c, tee: newTee(tap)}
	go w.up(stdin)
	w.flow.Go(func() { w.down(stdout) })
	w.flow.Go(func() { w.errors(stderr) })
	w.attend(ctx, signals, command)
	w.flow.Wait()
	c.closePipes()
	return c.end.Code, w.finish()
}

// wrapping is a child between the client's streams.
type wrapping struct {
	*child
	tee  *tee
	flow sync.WaitGroup // what comes from the child
}

// attend passes signals on until the child has ended, or the context, and then ends
// what is left of the child's group.
func (w *wrapping) attend(ctx context.Context, signals <-chan os.Signal, command Command) {
	l := ladder{process: w.child, closeStdin: func() { _ = w.stdin.Close() }, grace: command.grace()}
	for {
		select {
		case sig := <-signals:
			if sig != syscall.SIGPIPE {
				w.signal(sig)
			}
			continue
		case <-w.gone:
		case <-ctx.Done():
		}
		l.climb()
		return
	}
}

// up carries what the client writes. It outlives the child when the client does not
// close its end.
func (w *wrapping) up(stdin io.Reader) {
	note := "client closed its end"
	if err := w.carry(w.stdin, stdin, fromClient); err != nil {
		note = err.Error()
	}
	w.tee.end(fromClient, note)
	_ = w.stdin.Close()
}

// down carries the child's stdout. When the client has closed its end, the child is
// to see what it would see without us: a broken pipe.
func (w *wrapping) down(stdout io.Writer) {
	if w.carry(stdout, w.stdout, fromServer) != nil {
		_ = w.stdout.Close()
	}
}

// errors carries the child's stderr, and drains it when nobody reads it.
func (w *wrapping) errors(stderr io.Writer) {
	if w.carry(stderr, w.stderr, fromStderr) != nil {
		_ = w.carry(io.Discard, w.stderr, fromStderr)
	}
}

// carry copies bytes as they come, until the source ends; its error is the sink's.
func (w *wrapping) carry(sink io.Writer, source io.Reader, l lane) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := source.Read(buf)
		if n > 0 {
			w.tee.pass(l, buf[:n]) // before the answer to it can be seen
			if _, err := sink.Write(buf[:n]); err != nil {
				return err //nolint:wrapcheck // goes into a note
			}
		}
		if err != nil {
			return nil //nolint:nilerr // however the source ends, it has ended
		}
	}
}

// finish lets the tap have what waits for it.
func (w *wrapping) finish() error {
	w.tee.end(fromStderr, "")
	w.tee.end(fromServer, w.end.String())
	w.tee.end(fromClient, "server ended first")
	w.tee.close()
	if !within(killWait, w.tee.done) {
		return errTapStuck
	}
	return nil
}
