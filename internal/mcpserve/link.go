package mcpserve

import (
	"context"
	"errors"
	"fmt"

	"github.com/peerwright/peerwright/internal/transport"
)

// ServeLink serves one client over a link with one stream in each direction, as
// websocket.NewServer makes them, both eras at once. It is a transport.Handler, and
// returns nil when the client is gone.
func (s *Server) ServeLink(ctx context.Context, l transport.Link) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d := newDesk(ctx, s, s.judge, func(raw []byte) {
		_ = l.Send(ctx, transport.Answer{Raw: raw}) // a client that left does not read it
	})
	defer d.close()
	for {
		in, err := l.Receive(ctx)
		switch {
		case errors.Is(err, transport.ErrClosed):
			d.finish(ctx)
			return nil
		case err != nil:
			return fmt.Errorf("receiving from the client: %w", err)
		case in.Err != nil:
			d.refuse(in.ID, faultf(codeInvalidRequest, "invalid request: %v", in.Err))
		case !in.End:
			d.take(in.Message)
		}
	}
}
