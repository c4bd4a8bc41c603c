package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// live is one conversation with the server, from its handshake to its end. What its
// slot changes in it, the slot's lock guards.
type live struct {
	client *mcp.Client
	meta   []wire.Member // of every request
	since  time.Time
	// session says that the server keeps one for the conversation, which it may forget:
	// over HTTP+SSE always.
	session bool
	users   int
	retired bool
}

// errStart is why a server was given up that did not complete the handshake.
var errStart = fmt.Errorf("the server did not complete the handshake in time: %w", context.DeadlineExceeded)

func (s *slot) connect() (*live, error) {
	ctx, cancel := context.WithTimeoutCause(s.u.life, s.u.config.Start, errStart)
	defer cancel()
	client, err := mcp.Connect(ctx, mcp.Options{
		Dial: s.way.Dial, Older: s.way.Older, Revision: s.u.config.Revision,
		Tap: s.u.config.Tap, Client: s.u.config.Client, Observe: s.observe,
	})
	if err != nil {
		if ctx.Err() != nil && s.u.life.Err() == nil {
			err = fmt.Errorf("%w (%v)", errStart, s.u.config.Start)
		}
		return nil, err
	}
	s.listen(client)
	conn, ok := client.Conn().(interface{ SessionID() string })
	return &live{client: client, meta: client.Meta(), since: s.u.config.Now(), session: !ok || conn.SessionID() != ""}, nil
}

// listenWait bounds the wait for the head of a listening stream.
const listenWait = 10 * time.Second

// listen opens the stream on which a legacy server over HTTP says that its list of tools
// changed, where it says that it would. Without it the list grows old in its time.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
func (s *slot) listen(client *mcp.Client) {
	conn, ok := client.Conn().(interface {
		OpenStream(ctx context.Context, lastEventID string) (transport.Delivery, error)
	})
	changes := wire.Path(client.Capabilities, "tools", "listChanged")
	if !ok || client.Modern() || string(changes) != "true" {
		return
	}
	s.u.spawn(func() {
		ctx, cancel := context.WithTimeout(s.u.life, listenWait)
		defer cancel()
		if _, err := conn.OpenStream(ctx, ""); err != nil && s.u.life.Err() == nil {
			s.u.config.Log.Debug("no listening stream", "upstream", s.u.config.ID, "error", s.text(err.Error()))
		}
	})
}

// ended returns why the conversation is over, nil while it goes on.
func (l *live) ended() error {
	select {
	case <-l.client.Done():
		return l.client.Err()
	default:
		return nil
	}
}

// forget drops the session, so that the end of the conversation does not ask the server
// to end what it does not know.
func (l *live) forget() {
	if conn, ok := l.client.Conn().(interface{ Forget() }); ok {
		conn.Forget()
	}
}

// learn tells the transport which arguments travel as headers, and returns the tools
// that must be left out for what they ask there.
func (l *live) learn(tools []json.RawMessage) map[string]error {
	conn, ok := l.client.Conn().(interface {
		LearnTools(result json.RawMessage) map[string]error
	})
	if !ok || !l.client.Modern() || len(tools) == 0 {
		return nil
	}
	list, _ := wire.Marshal(tools) // what came as JSON marshals
	return conn.LearnTools(wire.Object([]wire.Member{{Name: "tools", Value: list}}))
}

// request is what is asked of the server.
type request struct {
	method string
	params []wire.Member // without _meta
	meta   []wire.Member
	header http.Header
	note   func(transport.Incoming)
}

// send sends the request and waits for its answer.
func (l *live) send(ctx context.Context, r request) (wire.ID, rpc.Reply, error) {
	id := l.client.NextID()
	meta := slices.Concat(r.meta, l.meta)
	if r.note != nil {
		meta = append(meta, wire.Member{Name: "progressToken", Value: json.RawMessage(id.String())})
	}
	params := r.params
	if len(meta) > 0 {
		params = append(params[:len(params):len(params)], wire.Member{Name: "_meta", Value: wire.Object(meta)})
	}
	raw := wire.Request(id, r.method, wire.Object(params))
	reply, err := l.client.Call(ctx, rpc.Request{ID: id, Raw: raw, Header: r.header, Note: r.note})
	return id, reply, err
}

// abandonWait bounds how long a server is told that nobody waits.
const abandonWait = 5 * time.Second

// abandon tells the server that the answer is not wanted any more: by a notification,
// and over HTTP of 2026-07-28 by closing the stream alone.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
func (l *live) abandon(id wire.ID, exchange int) {
	conn, overHTTP := l.client.Conn().(interface{ Cancel(exchange int) })
	if !overHTTP || !l.client.Modern() {
		ctx, cancel := context.WithTimeout(context.Background(), abandonWait)
		defer cancel()
		params := wire.Object([]wire.Member{
			{Name: "requestId", Value: json.RawMessage(id.String())},
			{Name: "reason", Value: json.RawMessage(`"nobody waits for the answer any more"`)},
		})
		_, _ = l.client.Notify(ctx, "notifications/cancelled", params) // a courtesy: what was lost stays lost
	}
	if overHTTP && exchange != 0 {
		conn.Cancel(exchange)
	}
}
