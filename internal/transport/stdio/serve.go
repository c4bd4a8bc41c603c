package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Serve serves one client, which writes to r and reads from w: os.Stdin and
// os.Stdout of a server. It returns when the handler has. The end of r ends the link
// once the handler has drained it, and leaves the handler's context alone, for the
// client may still be reading; a failing write ends both. Every request gets an
// answer: those that the handler left unanswered get -32603.
//
// An Answer's Raw is written as it is, with a newline where it does not end in one.
// Frames of the client are Out and those of this server In, as a tap at the client's
// end would see them. A Read of r that is under way when Serve returns is left to
// end by itself; what it brings is thrown away.
func Serve(ctx context.Context, r io.Reader, w io.Writer, h transport.Handler, opts transport.Options) error {
	s := &server{tap: opts.Tap}
	defer s.close()
	link := transport.NewDuplex(func(msg []byte) error {
		line := terminated(msg)
		s.see(wire.Frame{Dir: wire.In, Kind: wire.FrameMessage, Data: line})
		if _, err := w.Write(line); err != nil {
			return fmt.Errorf("writing a line: %w", err)
		}
		return nil
	})
	go s.read(wire.NewLineReader(r, opts.Limit), link)
	return link.Serve(ctx, h) //nolint:wrapcheck // the handler's own error
}

type server struct {
	mu  sync.Mutex
	tap wire.Tap // nil once Serve has returned
}

func (s *server) see(f wire.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tap.See(f)
}

func (s *server) close() {
	s.see(wire.Frame{Dir: wire.In, Kind: wire.FrameClose, Note: "server returned"})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tap = nil
}

func (s *server) read(lines *wire.LineReader, link *transport.Duplex) {
	for {
		line, err := lines.Next()
		var long *wire.TooLongError
		switch {
		case err == nil:
			s.see(lineFrame(wire.Out, line))
			if content := line.Content(); len(content) > 0 {
				link.Put(transport.Incoming{Message: wire.Parse(content)})
			}
		case errors.As(err, &long):
			s.see(longFrame(wire.Out, long))
			link.Put(tooLong(long))
		default:
			s.see(wire.Frame{Dir: wire.Out, Kind: wire.FrameClose, Note: err.Error()})
			link.End(err)
			return
		}
	}
}
