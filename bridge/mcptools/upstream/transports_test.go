package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// voice is how a server that goes wrong reaches its client.
type voice interface {
	say(raw []byte) // one message
	half(raw []byte)
	die()
}

// misbehave does what the name of the tool says.
func misbehave(v voice, m wire.Message, gone <-chan struct{}) {
	tool, _ := wire.Text(wire.Get(m.Params, "name"))
	done := wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`))
	switch tool {
	case "die":
		v.die()
	case "hang":
		<-gone
	case "cut":
		v.half(done)
		v.die()
	case "wrong id":
		v.say(wire.Result(wire.StringID("other"), json.RawMessage(`{}`)))
	case "flood":
		for i := range 5000 {
			v.say(wire.Notification("notifications/message", json.RawMessage(fmt.Sprintf(`{"level":"info","data":%d}`, i))))
		}
		v.say(done)
	case "large":
		v.say(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"`+strings.Repeat("x", 10<<20)+`"}]}`)))
	case "asks": // for what this client does not offer
		v.say([]byte(`{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}`))
		v.say(done)
	case "twice":
		v.say(done)
		v.say(done)
	default:
		v.say(done)
	}
}

// onStream is the event stream of one POST.
type onStream struct {
	w http.ResponseWriter
}

func (s onStream) say(raw []byte) {
	s.w.Write(append(append([]byte("data: "), raw...), "\n\n"...))
	http.NewResponseController(s.w).Flush()
}

func (s onStream) half(raw []byte) {
	s.w.Write(append([]byte("data: "), raw[:len(raw)/2]...))
	http.NewResponseController(s.w).Flush()
}

func (s onStream) die() { panic(http.ErrAbortHandler) }

// streaming is a Streamable HTTP server that answers calls by streams.
func streaming(revision string) http.Handler {
	return scripted(revision, func(w http.ResponseWriter, r *http.Request, m wire.Message) {
		if m.Kind != wire.KindRequest {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		misbehave(onStream{w}, m, r.Context().Done())
	})
}

// oldest is a server of HTTP+SSE.
type oldest struct {
	mu   sync.Mutex
	last *oldStream
}

type oldStream struct {
	out  chan []byte // "" ends it
	gone <-chan struct{}
}

func (s *oldStream) put(raw []byte) {
	select {
	case s.out <- raw:
	case <-s.gone:
	}
}

func (s *oldStream) say(raw []byte)  { s.put(append(append([]byte("data: "), raw...), "\n\n"...)) }
func (s *oldStream) half(raw []byte) { s.put(append([]byte("data: "), raw[:len(raw)/2]...)) }
func (s *oldStream) die()            { s.put(nil) }

func (o *oldest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s := &oldStream{make(chan []byte), r.Context().Done()}
		o.mu.Lock()
		o.last = s
		o.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: endpoint\ndata: /messages\n\n")
		for {
			http.NewResponseController(w).Flush()
			select {
			case raw := <-s.out:
				if raw == nil {
					panic(http.ErrAbortHandler)
				}
				w.Write(raw)
			case <-s.gone:
				return
			}
		}
	}
	m, _ := peek(r)
	w.WriteHeader(http.StatusAccepted)
	o.mu.Lock()
	defer o.mu.Unlock()
	go handshake(o.last, m, o.last.gone)
}

// handshake is a legacy server on one stream.
func handshake(v voice, m wire.Message, gone <-chan struct{}) {
	switch m.Method {
	case "initialize":
		v.say(wire.Result(m.ID, json.RawMessage(`{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`)))
	case "server/discover":
		v.say(wire.Failure(m.ID, -32601, "no such method", nil))
	case "tools/call":
		misbehave(v, m, gone)
	}
}

// socket is one WebSocket.
type socket struct {
	mu sync.Mutex
	ws *websocket.Conn
}

func (s *socket) say(raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ws.WriteMessage(websocket.TextMessage, raw)
}

func (s *socket) half(raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, _ := s.ws.NextWriter(websocket.TextMessage)
	w.Write(raw[:len(raw)/2])
}

func (s *socket) die() { s.ws.NetConn().Close() }

func sockets(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{Subprotocols: []string{"mcp"}}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer ws.Close()
	s := &socket{ws: ws}
	for {
		_, raw, err := ws.ReadMessage()
		if err != nil {
			return
		}
		go handshake(s, wire.Parse(raw), ctx.Done())
	}
}

func TestFaultsOnEveryTransport(t *testing.T) {
	ws := at(t, http.HandlerFunc(sockets), "/")
	ws.URL = strings.Replace(ws.URL, "http", "ws", 1)
	for name, config := range map[string]upstream.Config{
		"http, 2025-11-25": {Target: at(t, streaming(mcp.Rev2511), "/")},
		"http, 2026-07-28": {Target: at(t, streaming(mcp.Rev2607), "/")},
		"http+sse":         {Target: withTransport(at(t, &oldest{}, "/"), dial.SSE), Revision: mcp.Rev2024},
		"websocket":        {Target: ws, Revision: mcp.Rev2024},
	} {
		for tool, class := range map[string]errclass.Class{
			"die": errclass.Transient, "cut": errclass.Transient, "hang": errclass.Timeout, "wrong id": "",
			"flood": "ok", "large": "ok", "asks": "ok", "twice": "ok",
		} {
			t.Run(name+"/"+tool, func(t *testing.T) {
				u := open(t, config)
				if class == "ok" {
					if got := succeeds(t, u, tool); !strings.Contains(got, "done") && len(got) < 10<<20 {
						t.Errorf("%.200s", got)
					}
					succeeds(t, u, "fine")
					return
				}
				timeout := 20 * time.Second
				if class != errclass.Transient {
					timeout = 200 * time.Millisecond // what comes of a wrong id depends on the transport
				}
				e := failed(t, u, tool, timeout)
				if class != "" && e.Class != class || e.Context.Outcome != errclass.Unknown || e.Retryable {
					t.Errorf("%+v", e)
				}
				succeeds(t, u, "fine")
			})
		}
	}
}

// A legacy server over HTTP says on its listening stream that the list changed.
func TestTheListChangesOverHTTP(t *testing.T) {
	listening := make(chan onStream, 1)
	listed := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, again := peek(r)
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			http.NewResponseController(w).Flush()
			listening <- onStream{w}
			<-r.Context().Done()
		case m.Method == "initialize":
			w.Header().Set("Content-Type", "application/json")
			w.Write(wire.Result(m.ID, json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}`)))
		case m.Method == "tools/list":
			listed++
			w.Header().Set("Content-Type", "application/json")
			w.Write(wire.Result(m.ID, json.RawMessage(page("", fmt.Sprint("list", listed)))))
		default:
			echoServer(mcp.Rev2511).ServeHTTP(w, again)
		}
	})
	u := open(t, upstream.Config{Target: at(t, h, "/"), Revision: mcp.Rev2511, ListTTL: time.Hour})
	first, err := u.Tools(t.Context(), "", 0)
	if err != nil || names(first) != "list1" {
		t.Fatal(names(first), err)
	}
	(<-listening).say(wire.Notification("notifications/tools/list_changed", nil))
	for {
		again, err := u.Tools(t.Context(), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		if names(again) == "list2" {
			break
		}
	}
}
