package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// MCPConfig says how to reach a server and what may be done to it. Dial, Transport,
// Name and Now are required.
type MCPConfig struct {
	Dial      mcp.Dialer
	Older     mcp.Dialer // see internal/mcp
	Transport string     // stdio, http, sse, websocket
	Name      string     // how a user would write the target
	// AllowTools names tools that may be called although the live server does not mark
	// them as read-only.
	AllowTools []string
	Now        func() time.Time
	Random     io.Reader     // of ids that are made up; nil means crypto/rand
	Probe      time.Duration // see internal/mcp
}

// MCP returns a target that plays the script against a server. It fails when the
// script is not of MCP.
func MCP(s *Script, c MCPConfig) (*Target, error) {
	if s.Protocol() != fixtures.MCP {
		return nil, fmt.Errorf("fixture %s is of %s, and cannot be played against an MCP server", s.name, s.Protocol())
	}
	l := &ledger{}
	return newTarget(s, &mcpBackend{script: s, config: c, ledger: l}, l, c.Now, c.Random), nil
}

type mcpBackend struct {
	script *Script
	config MCPConfig
	ledger *ledger
	found  offers
}

// connect opens a conversation in the recorded revision.
func (b *mcpBackend) connect(ctx context.Context, tap wire.Tap, revision string, answer rpc.Answerer) (*mcp.Client, error) {
	return mcp.Connect(ctx, mcp.Options{
		Dial: b.config.Dial, Older: b.config.Older, Revision: revision, Tap: tap, Probe: b.config.Probe,
		Client: mcp.Implementation{Name: "peerwright", Version: "1"}, Capabilities: b.script.capabilities(), Answer: answer,
	})
}

// capabilities are those that the recorded client declared: a server offers by them.
func (s *Script) capabilities() json.RawMessage {
	for _, e := range s.log.Exchanges {
		for _, path := range [][]string{{"capabilities"}, {"_meta", mcp.MetaCapabilities}} {
			if c := wire.Path(e.Request.Params, path...); c != nil {
				return c
			}
		}
	}
	return nil
}

func (b *mcpBackend) survey(ctx context.Context, tap wire.Tap) (conformance.Survey, error) {
	client, err := b.connect(ctx, tap, b.script.fixture.Header.Revision, nil)
	var other *mcp.RevisionError
	if errors.As(err, &other) { // the cases will say so; what does it speak?
		client, err = b.connect(ctx, tap, "", nil)
	}
	if err != nil {
		return conformance.Survey{}, err
	}
	defer func() { _ = client.Close(context.WithoutCancel(ctx)) }() // what it told stands
	if b.found, err = survey(ctx, client, b.script, b.config.AllowTools); err != nil {
		return conformance.Survey{}, err
	}
	return conformance.Survey{
		Protocol: conformance.MCP, Transport: b.config.Transport, Target: b.config.Name,
		Name: client.Server.Name, Version: client.Server.Version, Revision: client.Revision, Features: b.found,
	}, nil
}

func (b *mcpBackend) open(ctx context.Context, tap wire.Tap) (driver, error) {
	d := &mcpDriver{backend: b, replies: map[string][]wire.Message{}}
	for method, replies := range b.script.log.Replies {
		d.replies[method] = slices.Clone(replies)
	}
	client, err := b.connect(ctx, tap, b.script.fixture.Header.Revision, d.answer)
	if err != nil {
		return nil, err
	}
	d.client = client
	return d, nil
}

// mcpDriver speaks with one server on one conversation.
type mcpDriver struct {
	backend *mcpBackend
	client  *mcp.Client

	mu      sync.Mutex
	replies map[string][]wire.Message // the client's answers that were not given yet
}

// answer gives the server the answer that the recorded client gave to the same
// method, each once and in order, and refuses what it did not ask then.
func (d *mcpDriver) answer(m wire.Message) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.replies[m.Method]
	if len(left) == 0 {
		return mcp.Refuse(m)
	}
	d.replies[m.Method] = left[1:]
	if e := left[0].Error; e != nil {
		return wire.Failure(m.ID, e.Code, e.Message, e.Data)
	}
	return wire.Result(m.ID, left[0].Result)
}

func (d *mcpDriver) refuses(st *step) string { return d.backend.found.refuses(st) }

func (d *mcpDriver) close(ctx context.Context) error { return d.client.Close(ctx) }

func (d *mcpDriver) greeting(st *step) answer {
	if st.Request.Kind == wire.KindNotification {
		return answer{}
	}
	return answer{payloads: [][]byte{wire.Result(st.Request.ID, d.client.Hello)}}
}

// stamp puts an id of this conversation into a request, of the JSON type of the
// recorded one.
func (d *mcpDriver) stamp(st *step, out fixtures.Frame) (fixtures.Frame, error) {
	if st.Request.Kind != wire.KindRequest {
		return out, nil
	}
	id := d.client.NextID()
	if st.Request.ID.IsString() {
		id = wire.StringID(id.String())
	}
	return fixtures.SetAt(out, "/id", json.RawMessage(id.String()))
}

func (d *mcpDriver) send(ctx context.Context, st *step, _, out fixtures.Frame) (wait, error) {
	if st.method == "tools/call" {
		d.backend.ledger.note(st.param("name"), "replay of "+d.backend.script.name)
	}
	raw := out.Payload()
	if st.Request.Kind == wire.KindNotification {
		delivery, err := d.client.Send(ctx, transport.Outgoing{Raw: raw})
		return func(context.Context) answer { return answer{status: delivery.Status, header: delivery.Header} }, err
	}
	m := wire.Parse(raw)
	notes := &notes{token: wire.Path(m.Params, "_meta", "progressToken")}
	delivery, await, err := d.client.Start(ctx, rpc.Request{ID: m.ID, Raw: raw, Note: notes.add})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) answer {
		reply, err := await(ctx)
		a := answer{err: err, status: delivery.Status, header: delivery.Header, notes: notes.list(), ownStream: d.backend.config.Transport == "http"}
		if err == nil {
			a.payloads = [][]byte{reply.Raw}
		}
		return a
	}, nil
}

// notes keeps the notifications that came while a request waited, but for the
// progress of others.
type notes struct {
	token json.RawMessage
	mu    sync.Mutex
	all   []wire.Message
}

func (n *notes) add(in transport.Incoming) {
	if in.Method == "notifications/progress" && !bytes.Equal(wire.Get(in.Params, "progressToken"), n.token) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, in.Message)
}

func (n *notes) list() []wire.Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all)
}
