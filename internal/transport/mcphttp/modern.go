package mcphttp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// post is the Link of one POST of a 2026-07-28 client. Its one message has
// Exchange 1.
type post struct {
	inbox  *transport.Queue
	stream *stream
}

// Receive implements transport.Link. After the one message it waits until the answer
// is sent or the client is gone.
func (p *post) Receive(ctx context.Context) (transport.Incoming, error) { return p.inbox.Get(ctx) }

// Send implements transport.Link. There is no stream but that of the one message.
func (p *post) Send(_ context.Context, a transport.Answer) error {
	if a.Exchange != p.stream.number {
		return fmt.Errorf("there is no stream of exchange %d: %w", a.Exchange, transport.ErrClosed)
	}
	return p.stream.send(a.Raw, a.Status)
}

// postModern serves one message; version is the one that its body names. The client
// cancels by closing its stream.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#cancellation
func (s *Server) postModern(w http.ResponseWriter, r *http.Request, msg wire.Message, version string) {
	if err := s.opts.checkModern(r.Header, msg, version); err != nil {
		refuse(w, err)
		return
	}
	c := newClient(w)
	p := &post{inbox: transport.NewQueue(), stream: &stream{number: 1, pending: requestIDs(msg), out: c}}
	p.inbox.Put(transport.Incoming{Message: msg, Exchange: 1})
	if msg.Kind == wire.KindNotification {
		p.inbox.Close(nil)
	}
	if !s.life.run(r.Context(), p, p.stream.abort) {
		refuse(w, closing(msg.ID))
		return
	}
	c.wait(r)
	p.stream.detach(c)
	p.inbox.Close(nil)
	if !c.begun && r.Context().Err() == nil {
		w.WriteHeader(http.StatusAccepted)
	}
}

func closing(id wire.ID) *refusal {
	return fault(http.StatusServiceUnavailable, codeInternal, "the server is closing").to(id)
}
