package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
)

// server is a scripted server on a stream. It answers by method; a method without
// an answer is refused with -32601, one with the answer silence is not answered, one
// with the answer death ends the server.
type server struct {
	answers map[string]string

	mu      sync.Mutex
	started int
	got     []string // the methods that came, in their order
}

const silence, death = "silence", "death"

func (s *server) serve(_ context.Context, r io.Reader, w io.Writer) error {
	s.mu.Lock()
	s.started++
	s.mu.Unlock()
	lines, out := wire.NewLineReader(r, 0), wire.NewLineWriter(w)
	for {
		line, err := lines.Next()
		if err != nil {
			return nil //nolint:nilerr // the client has gone
		}
		m := wire.Parse(line.Content())
		s.mu.Lock()
		s.got = append(s.got, m.Method)
		s.mu.Unlock()
		if s.answers[m.Method] == death {
			return errors.New("a message that I do not know")
		}
		if raw := s.answer(m); raw != nil {
			if err := out.Write(raw); err != nil {
				return err
			}
		}
	}
}

func (s *server) answer(m wire.Message) []byte {
	answer, known := s.answers[m.Method]
	switch {
	case m.Kind != wire.KindRequest || answer == silence:
		return nil
	case !known:
		return wire.Failure(m.ID, -32601, "method not found", nil)
	case strings.HasPrefix(answer, `{"code"`):
		return []byte(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"error":` + answer + `}`)
	}
	return wire.Result(m.ID, json.RawMessage(answer))
}

func (s *server) dial(context.Context, wire.Tap) (transport.Conn, error) {
	return stdio.DialPipe(context.Background(), s.serve, transport.Options{}), nil
}

const (
	hello2511 = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"9"},"instructions":"be nice"}`
	hello2506 = `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"9"}}`
	found     = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"2"}}}`
)

func connect(t *testing.T, s *server, o mcp.Options) (*mcp.Client, error) {
	t.Helper()
	o.Dial, o.Client = s.dial, mcp.Implementation{Name: "test", Version: "1"}
	if o.Probe == 0 {
		o.Probe = 50 * time.Millisecond
	}
	c, err := mcp.Connect(t.Context(), o)
	if err == nil {
		t.Cleanup(func() {
			if err := c.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	return c, err
}

func TestEraDetection(t *testing.T) {
	for name, c := range map[string]struct {
		answers  map[string]string
		revision string
		started  int
		methods  string
	}{
		"a modern server": {map[string]string{"server/discover": found}, "2026-07-28", 1, "server/discover"},
		"a legacy server that refuses": {
			map[string]string{"initialize": hello2511}, "2025-11-25", 1, "server/discover initialize notifications/initialized",
		},
		"a legacy server that stays silent": {
			map[string]string{"server/discover": silence, "initialize": hello2506}, "2025-06-18", 1, "server/discover initialize notifications/initialized",
		},
		"a legacy server that dies of it": {
			map[string]string{"server/discover": death, "initialize": hello2511}, "2025-11-25", 2, "server/discover initialize notifications/initialized",
		},
		"a modern server that offers a legacy revision": {
			map[string]string{"server/discover": `{"code":-32022,"message":"no","data":{"supported":["2025-06-18"]}}`, "initialize": hello2506},
			"2025-06-18", 2, "server/discover initialize notifications/initialized",
		},
		"a server that answers it with something else": {
			map[string]string{"server/discover": `{"ok":true}`, "initialize": hello2511}, "2025-11-25", 2, "server/discover initialize notifications/initialized",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{answers: c.answers}
			client, err := connect(t, s, mcp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Request(t.Context(), "ping", nil); err != nil {
				t.Fatal(err) // once it is answered, everything before has arrived
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if got := strings.Join(s.got, " "); client.Revision != c.revision || s.started != c.started || got != c.methods+" ping" {
				t.Errorf("revision %s after %d starts by %s", client.Revision, s.started, got)
			}
		})
	}
}

func TestWhatTheHandshakeTells(t *testing.T) {
	c, err := connect(t, &server{answers: map[string]string{"initialize": hello2511}}, mcp.Options{})
	if err != nil || c.Server.Name != "s" || c.Instructions != "be nice" || string(c.Capabilities) != `{"tools":{}}` || c.Modern() {
		t.Errorf("a legacy server says %+v, %v", c, err)
	}
	c, err = connect(t, &server{answers: map[string]string{"server/discover": found}}, mcp.Options{})
	if err != nil || c.Server.Name != "m" || string(c.Capabilities) != `{"tools":{}}` || !c.Modern() {
		t.Errorf("a modern server says %+v, %v", c, err)
	}
}

func TestServersThatCannotBeTalkedTo(t *testing.T) {
	var revision *mcp.RevisionError
	var refused *mcp.HandshakeError
	future := `{"code":-32022,"message":"no","data":{"supported":["2099-01-01"]}}`
	if _, err := connect(t, &server{answers: map[string]string{"server/discover": future}}, mcp.Options{}); !errors.As(err, &revision) ||
		!slices.Equal(revision.Offered, []string{"2099-01-01"}) {
		t.Errorf("a server of the future: %v", err)
	}
	if _, err := connect(t, &server{answers: map[string]string{"initialize": hello2506}}, mcp.Options{Revision: "2025-11-25"}); !errors.As(err, &revision) {
		t.Errorf("another revision than the pinned one: %v", err)
	}
	if _, err := connect(t, &server{answers: map[string]string{"initialize": strings.Replace(hello2511, "2025-11-25", "1999-01-01", 1)}}, mcp.Options{}); !errors.As(err, &revision) {
		t.Errorf("a revision that nobody knows: %v", err)
	}
	if _, err := connect(t, &server{answers: map[string]string{}}, mcp.Options{}); !errors.As(err, &refused) || refused.Cause.Code != -32601 {
		t.Errorf("a server that knows no handshake: %v", err)
	}
	if _, err := connect(t, &server{answers: map[string]string{"server/discover": death, "initialize": death}}, mcp.Options{}); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("a server that dies of everything: %v", err)
	}
	if _, err := connect(t, &server{}, mcp.Options{Revision: "tomorrow"}); err == nil || !strings.Contains(err.Error(), "choose one of") {
		t.Errorf("a pinned revision that does not exist: %v", err)
	}
}

// status is an error that has an HTTP status, as the transport's has.
type status int

func (s status) Error() string   { return "refused" }
func (s status) HTTPStatus() int { return int(s) }

func TestTheOlderTransportIsTriedLast(t *testing.T) {
	refuse := func(code status) mcp.Dialer {
		return func(context.Context, wire.Tap) (transport.Conn, error) { return nil, code }
	}
	s := &server{answers: map[string]string{"initialize": strings.Replace(hello2511, "2025-11-25", "2024-11-05", 1)}}
	c, err := mcp.Connect(t.Context(), mcp.Options{Dial: refuse(405), Older: s.dial})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	if c.Revision != "2024-11-05" || !c.Older {
		t.Errorf("revision %s, older transport %v", c.Revision, c.Older)
	}
	if _, err := mcp.Connect(t.Context(), mcp.Options{Dial: refuse(401), Older: s.dial}); !errors.Is(err, status(401)) {
		t.Errorf("a peer that asks for credentials: %v", err)
	}
}

func TestModernRequestsSayWhoAsks(t *testing.T) {
	c, err := connect(t, &server{answers: map[string]string{"server/discover": found}}, mcp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := c.Params(json.RawMessage(`{"name":"x","_meta":{"progressToken":9007199254740993,"io.modelcontextprotocol/protocolVersion":"mine"}}`))
	if want := `{"name":"x","_meta":{"progressToken":9007199254740993,"io.modelcontextprotocol/protocolVersion":"mine",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`; string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := c.Params(json.RawMessage(`[1]`)); string(got) != `[1]` {
		t.Errorf("params that are no object became %s", got)
	}
}

// Where the revision is settled there is no other era to find.
func TestASettledRevisionIsNotProbed(t *testing.T) {
	s := &server{answers: map[string]string{"server/discover": found}}
	client, err := connect(t, s, mcp.Options{Revision: mcp.Rev2607, Probe: time.Nanosecond})
	if err != nil || client.Revision != mcp.Rev2607 {
		t.Errorf("%+v, %v", client, err)
	}
}
