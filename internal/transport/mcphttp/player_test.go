package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// player is a handler that does what the method of a request says. What it saw
// happen it tells on the channel.
type player struct{ events chan string }

func newPlayer() *player { return &player{events: make(chan string, 100)} }

// next returns the next message, and false when the link is over.
func next(ctx context.Context, l transport.Link) (transport.Incoming, bool) {
	in, err := l.Receive(ctx)
	return in, err == nil
}

func (p *player) serve(ctx context.Context, l transport.Link) error {
	for {
		in, ok := next(ctx, l)
		if !ok {
			return nil
		}
		if in.Kind == wire.KindBatch {
			for _, one := range in.Batch {
				in.Message = one
				if p.play(ctx, l, in) {
					return nil
				}
			}
			continue
		}
		if p.play(ctx, l, in) {
			return nil
		}
	}
}

// play returns true when the handler is to end.
func (p *player) play(ctx context.Context, l transport.Link, in transport.Incoming) bool {
	say := func(raw string) error {
		return l.Send(ctx, transport.Answer{Raw: []byte(raw), Exchange: in.Exchange})
	}
	result := func(text string) {
		_ = l.Send(ctx, transport.Answer{Raw: wire.Result(in.ID, json.RawMessage(text)), Exchange: in.Exchange})
	}
	switch in.Method {
	case "initialize":
		version, _ := wire.Text(wire.Get(in.Params, "protocolVersion"))
		result(`{"protocolVersion":` + string(wire.Quote(version)) + `}`)
	case "refuse":
		_ = l.Send(ctx, transport.Answer{Raw: wire.Failure(in.ID, -32601, "no", nil), Exchange: in.Exchange, Status: 404})
	case "progress":
		_ = say(progress)
		result(`{}`)
	case "ask":
		_ = say(`{"jsonrpc":"2.0","id":"q","method":"ping"}`)
		reply, _ := l.Receive(ctx)
		result(string(reply.Result))
	case "unasked":
		_ = l.Send(ctx, transport.Answer{Raw: []byte(progress)})
		result(`{}`)
	case "later":
		_ = say(progress)
		p.events <- "later"
		result(`{"late":true}`)
	case "wait":
		_ = say(progress)
		<-ctx.Done()
		p.events <- "done"
		return true
	case "quit":
		return true
	case "wrong id":
		_ = say(`{"jsonrpc":"2.0","id":"other","result":{}}`)
	case "twice":
		result(`{}`)
		p.events <- fmt.Sprint(errors.Is(say(`{"jsonrpc":"2.0","id":1,"result":{}}`), transport.ErrClosed))
	case "":
		p.events <- "response"
	default:
		if in.Kind == wire.KindNotification {
			p.events <- in.Method
			return false
		}
		result(`{}`)
	}
	return false
}

// serve starts a server on loopback and returns its endpoint.
func serve(t *testing.T, h transport.Handler, opts mcphttp.ServerOptions) string {
	t.Helper()
	server := mcphttp.NewServer(h, opts)
	web := httptest.NewServer(server)
	t.Cleanup(func() { server.Close(); web.Close() })
	return web.URL
}

// ask makes one HTTP request. Header lines are "Name: value"; one without a value
// takes the default away.
func ask(t *testing.T, method, url, body string, lines ...string) *transport.RawResponse {
	t.Helper()
	client := transport.NewHTTP(transport.Options{}, nil)
	defer client.Close()
	h := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		if h[name] = nil; value != "" {
			h[name] = []string{value}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	raw, err := client.Exchange(ctx, transport.HTTPRequest{Method: method, URL: url, Header: h, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// begin opens a session of the revision, and returns the header that names it.
func begin(t *testing.T, url, revision string) string {
	t.Helper()
	raw := ask(t, "POST", url, strings.Replace(initialize, "2025-11-25", revision, 1))
	id := raw.Header.Get("Mcp-Session-Id")
	if raw.Status != 200 || id == "" {
		t.Fatalf("initialize: got %+v", raw)
	}
	return "Mcp-Session-Id: " + id
}

func request(method string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`
}

func modernRequest(method string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + meta + `}}`
}

func modernHeader(method string) []string {
	return []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
}
