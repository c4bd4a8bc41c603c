package stdio

import (
	"errors"
	"io"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// read queues what comes on stdout, to its end.
func (c *Conn) read(limit int) {
	lines := wire.NewLineReader(c.stdout, limit)
	for {
		line, err := lines.Next()
		var long *wire.TooLongError
		switch {
		case err == nil:
			c.tap.See(lineFrame(wire.In, line))
			c.take(line)
		case errors.As(err, &long):
			c.tap.See(longFrame(wire.In, long))
			c.in.Put(tooLong(long))
		default:
			c.over()
			return
		}
	}
}

func (c *Conn) take(line wire.Line) {
	if content := line.Content(); len(content) > 0 {
		c.in.Put(transport.Incoming{Message: wire.Parse(content)})
		c.answered.Store(true)
	}
}

func lineFrame(dir wire.Direction, line wire.Line) wire.Frame {
	f := wire.Frame{Dir: dir, Kind: wire.FrameMessage, Data: line.Raw}
	if line.Unterminated {
		f.Note = "no newline at its end"
	}
	return f
}

// longFrame stands for a line over the limit, of which only the beginning is kept.
func longFrame(dir wire.Direction, long *wire.TooLongError) wire.Frame {
	return wire.Frame{Dir: dir, Kind: wire.FrameChunk, Data: long.Head, Note: long.Error()}
}

func tooLong(long *wire.TooLongError) transport.Incoming {
	return transport.Incoming{
		Message: wire.Message{Kind: wire.KindInvalid, Problems: []string{long.Error()}},
		Err:     long,
	}
}

// over tells everyone who waits that nothing more will come, and why.
func (c *Conn) over() {
	var state State
	var err error
	if within(settle, c.proc.ended()) {
		state, err = c.proc.state()
		within(settle, c.stderr.done)
	}
	var cause error = &ExitError{
		Args: c.proc.name(), State: state, Answered: c.answered.Load(), Stderr: c.stderr.tail(), Err: err,
	}
	select {
	case <-c.closing:
		cause = errClosedHere
	default:
	}
	c.tap.See(wire.Frame{Dir: wire.In, Kind: wire.FrameClose, Note: state.String()})
	c.in.Close(cause)
	close(c.inOver)
}

// tend ends the process once the conversation is over, by either side.
func (c *Conn) tend(release []io.Closer) {
	select {
	case <-c.closing:
	case <-c.inOver:
	}
	c.exit = ladder{process: c.proc, closeStdin: c.closeStdin, grace: c.grace, hurry: c.hurry}.climb()
	within(killWait, c.inOver) // a stray process outside the group may write on for ever
	_ = c.stdout.Close()
	for _, r := range release {
		_ = r.Close()
	}
	<-c.inOver
	<-c.stderr.done
	<-c.out.Done()
	close(c.done)
}

func (c *Conn) closeStdin() {
	c.inputOnce.Do(func() {
		c.out.Stop()
		_ = c.stdin.Close()
		c.tap.See(wire.Frame{Dir: wire.Out, Kind: wire.FrameClose, Note: "stdin closed"})
	})
}

// within waits for done, but no longer than d, and tells whether it came.
func within(d time.Duration, done <-chan struct{}) bool {
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	select {
	case <-done:
		return true
	case <-timeout.C:
		return false
	}
}
