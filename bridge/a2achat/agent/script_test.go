package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// request is a call as the scripted agent got it.
type request struct {
	op     a2ahttp.Op
	params json.RawMessage
	header http.Header
	id     json.RawMessage
	n      int // how many of this operation came before
	w      http.ResponseWriter
	d      dialect
	done   <-chan struct{} // closed when the client is gone
}

// answer answers with a result.
func (r request) answer(result any) {
	r.w.Header().Set("Content-Type", "application/json")
	_, _ = r.w.Write(r.frame(result))
}

func (r request) frame(result any) []byte {
	raw, err := wire.Marshal(result)
	if err != nil {
		panic(err)
	}
	if r.d.binding == a2ahttp.JSONRPC {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, r.id, raw)
	}
	return raw
}

// fail answers with an error of the binding.
func (r request) fail(code int, status int, reason, message string) {
	r.w.Header().Set("Content-Type", "application/json")
	if r.d.binding == a2ahttp.JSONRPC {
		fmt.Fprintf(r.w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, r.id, code, message)
		return
	}
	r.w.WriteHeader(status)
	fmt.Fprintf(r.w, `{"error":{"code":%d,"message":%q,"details":[{"@type":%q,"reason":%q}]}}`,
		status, message, a2ahttp.ErrorInfoType, reason)
}

// stream sends events, and leaves the stream open.
func (r request) stream(events ...object) {
	r.w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(r.w, "data: %s\n\n", r.frame(e))
	}
	r.w.(http.Flusher).Flush()
}

// breakOff ends the connection in the middle of a stream.
func (request) breakOff() { panic(http.ErrAbortHandler) }

type handler func(request)

// scripted is an agent that does what a script says.
type scripted struct {
	*httptest.Server
	d         dialect
	streaming bool
	script    map[a2ahttp.Op]handler
	card      func(http.ResponseWriter, *http.Request) bool // nil serves the card of the dialect

	forget bool // keeps nothing of what it was asked

	mu   sync.Mutex
	seen []request
}

func serve(t *testing.T, d dialect, streaming bool, script map[a2ahttp.Op]handler) *scripted {
	t.Helper()
	return serveTo(t, d, streaming, script)
}

func serveTo(t testing.TB, d dialect, streaming bool, script map[a2ahttp.Op]handler) *scripted {
	t.Helper()
	s := &scripted{d: d, streaming: streaming, script: script}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, ".well-known") {
		s.serveCard(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	q := request{w: w, header: r.Header, d: s.d, params: body, done: r.Context().Done()}
	q.header.Set("Host", r.Host)
	q.op = s.opOf(r, body, &q)
	s.mu.Lock()
	for _, before := range s.seen {
		if before.op == q.op {
			q.n++
		}
	}
	if !s.forget {
		s.seen = append(s.seen, q)
	}
	s.mu.Unlock()
	if h := s.script[q.op]; h != nil {
		h(q)
		return
	}
	q.fail(-32601, http.StatusNotImplemented, "", "no such method")
}

func (s *scripted) opOf(r *http.Request, body []byte, q *request) a2ahttp.Op {
	if s.d.binding == a2ahttp.JSONRPC {
		q.id, q.params = wire.Get(body, "id"), wire.Get(body, "params")
		for _, op := range []a2ahttp.Op{
			a2ahttp.SendMessage, a2ahttp.SendStreamingMessage, a2ahttp.GetTask, a2ahttp.CancelTask, a2ahttp.SubscribeToTask,
		} {
			if method, _ := wire.Text(wire.Get(body, "method")); a2ahttp.Method(op, s.d.version) == method {
				return op
			}
		}
		return ""
	}
	for suffix, op := range map[string]a2ahttp.Op{
		"/message:send": a2ahttp.SendMessage, "/message:stream": a2ahttp.SendStreamingMessage,
		"/tasks/task": a2ahttp.GetTask, "/tasks/task:cancel": a2ahttp.CancelTask, "/tasks/task:subscribe": a2ahttp.SubscribeToTask,
	} {
		if strings.HasSuffix(r.URL.Path, suffix) {
			return op
		}
	}
	return ""
}

func (s *scripted) serveCard(w http.ResponseWriter, r *http.Request) {
	if s.card != nil && s.card(w, r) {
		return
	}
	at := a2ahttp.WellKnown
	if s.d.version == a2ahttp.V02 {
		at = a2ahttp.OldWellKnown
	}
	if r.URL.Path != at {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(s.cardOf())
}

func (s *scripted) cardOf() object {
	card := object{
		"name": "Scripted", "description": "d", "version": "1", "skills": []object{},
		"capabilities": object{"streaming": s.streaming}, "defaultInputModes": []string{"text/plain", "image/png"},
		"defaultOutputModes": []string{"text/plain"},
	}
	if s.d.now() {
		card["supportedInterfaces"] = []object{{"url": s.URL + "/a", "protocolBinding": s.d.binding, "protocolVersion": "1.0"}}
		return card
	}
	card["url"], card["preferredTransport"], card["protocolVersion"] = s.URL+"/a", s.d.binding, s.d.version+".0"
	return card
}

func (s *scripted) calls(op a2ahttp.Op) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []request
	for _, r := range s.seen {
		if r.op == op {
			list = append(list, r)
		}
	}
	return list
}

// agent returns an agent at the scripted one.
func (s *scripted) agent(t *testing.T, change ...func(*Config)) *Agent {
	t.Helper()
	c := Config{ID: "demo", CardURL: s.URL, Timeout: 5 * time.Second, Poll: time.Millisecond}
	for _, f := range change {
		f(&c)
	}
	a := New(c)
	t.Cleanup(a.Close)
	return a
}

// heard is what a turn told.
type heard struct {
	updates []Update
	outcome Outcome
	err     error
}

// text is the answer as a client shows it that sees the updates: a blank line before
// each that is new.
func (h heard) text() string {
	var out strings.Builder
	for _, u := range h.updates {
		if u.Kind == Note || u.Kind == Begun {
			continue
		}
		if u.New && out.Len() > 0 {
			out.WriteString("\n\n")
		}
		switch u.Kind {
		case Text:
			out.WriteString(u.Text)
		case Data:
			fmt.Fprintf(&out, "<data %s>", u.Data)
		case Attachment:
			fmt.Fprintf(&out, "<file %+v>", *u.File)
		case Replaced:
			out.WriteString("<replaced>")
		}
	}
	return out.String()
}

// answer is the answer as the outcome has it.
func (h heard) answer() string {
	var blocks []string
	for _, b := range h.outcome.Answer {
		var out strings.Builder
		for _, p := range b.Parts {
			switch {
			case p.File != nil:
				fmt.Fprintf(&out, "<file %+v>", *p.File)
			case p.Data != nil:
				fmt.Fprintf(&out, "<data %s>", p.Data)
			default:
				out.WriteString(p.Text)
			}
		}
		blocks = append(blocks, out.String())
	}
	return strings.Join(blocks, "\n\n")
}

func (h heard) notes() string {
	var notes []string
	for _, u := range h.updates {
		if u.Kind == Note {
			notes = append(notes, u.Text)
		}
	}
	return strings.Join(notes, "|")
}

func hello() Message {
	return Message{MessageID: "m1", Parts: []Part{{Text: "hello"}}}
}

func send(t *testing.T, a *Agent, m Message) heard {
	t.Helper()
	var h heard
	h.outcome, h.err = a.Send(t.Context(), m, func(u Update) error {
		h.updates = append(h.updates, u)
		return nil
	})
	return h
}
