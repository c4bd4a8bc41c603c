package live_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// ledger is a server with one tool, which counts how often it did what each key stands for.
type ledger struct {
	mu  sync.Mutex
	ran map[string]int
	n   int
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := wire.Parse(body)
	w.Header().Set("Content-Type", "application/json")
	switch m.Method {
	case "server/discover":
		w.Write(wire.Result(m.ID, []byte(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)))
	case "tools/list":
		w.Write(wire.Result(m.ID, []byte(`{"tools":[{"name":"create_order",`+writes+`}]}`)))
	case "tools/call":
		w.Write(wire.Result(m.ID, l.execute(m)))
	}
}

func (l *ledger) execute(m wire.Message) []byte {
	key, _ := wire.Text(wire.Path(m.Params, "_meta", "idempotencyKey"))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	l.ran[key]++
	return []byte(`{"content":[],"structuredContent":{"order":"` + key + `","number":` + string(wire.Quote(strings.Repeat("#", l.n%7)+key)) + `}}`)
}

// faults stands in front of a server and spoils some of what passes.
type faults struct {
	next http.Handler

	mu    sync.Mutex
	rnd   *rand.Rand
	burst int // answers of 429 to come
	seen  map[string]int
}

// kinds are the faults; each befalls about one call in that many.
var kinds = []struct {
	name  string
	oneIn int
	does  func(f *faults, w http.ResponseWriter, r *http.Request, body []byte)
}{
	{"a burst of 429", 200, func(f *faults, w http.ResponseWriter, _ *http.Request, _ []byte) { f.refuse(w, 10) }},
	{"503 in HTML", 50, func(_ *faults, w http.ResponseWriter, _ *http.Request, _ []byte) { page(w, 503) }},
	{"it dies before", 50, func(*faults, http.ResponseWriter, *http.Request, []byte) { panic(http.ErrAbortHandler) }},
	{"it dies after", 50, func(f *faults, _ http.ResponseWriter, r *http.Request, body []byte) {
		f.pass(r, body)
		panic(http.ErrAbortHandler)
	}},
	{"a gateway loses it", 50, func(f *faults, w http.ResponseWriter, r *http.Request, body []byte) {
		f.pass(r, body)
		page(w, 502)
	}},
	{"it hangs", 100, func(f *faults, _ http.ResponseWriter, r *http.Request, body []byte) {
		f.pass(r, body)
		<-r.Context().Done()
	}},
	{"half an answer", 50, func(f *faults, w http.ResponseWriter, r *http.Request, body []byte) {
		w.Write(f.pass(r, body)[:40])
	}},
	{"a cut stream", 50, func(f *faults, w http.ResponseWriter, r *http.Request, body []byte) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": working\n\ndata: {\"jsonrpc\":")
		http.NewResponseController(w).Flush()
		f.pass(r, body)
		panic(http.ErrAbortHandler)
	}},
	{"a wrong id", 50, func(f *faults, w http.ResponseWriter, r *http.Request, body []byte) {
		w.Write(wire.Result(wire.StringID("another"), wire.Get(f.pass(r, body), "result")))
	}},
	{"10 MiB", 400, func(f *faults, w http.ResponseWriter, r *http.Request, body []byte) {
		text := wire.Quote(string(wire.Get(f.pass(r, body), "result")) + strings.Repeat("m", 10<<20))
		w.Write(wire.Result(wire.Parse(body).ID, []byte(`{"content":[{"type":"text","text":`+string(text)+`}]}`)))
	}},
}

func page(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	io.WriteString(w, "<html><body>not now</body></html>")
}

// pass lets the server do what was asked, and returns its answer.
func (f *faults) pass(r *http.Request, body []byte) []byte {
	w := httptest.NewRecorder()
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.next.ServeHTTP(w, r)
	return w.Body.Bytes()
}

// refuse answers 429, now and as often again.
func (f *faults) refuse(w http.ResponseWriter, again int) {
	f.mu.Lock()
	f.burst += again
	f.mu.Unlock()
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusTooManyRequests)
}

// choose takes a fault, or none.
func (f *faults) choose() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.burst > 0 {
		f.burst--
		return -2
	}
	for i, k := range kinds {
		if f.rnd.IntN(k.oneIn) == 0 {
			f.seen[k.name]++
			return i
		}
	}
	return -1
}

func (f *faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	fault := -1
	if wire.Parse(body).Method == "tools/call" {
		fault = f.choose()
	}
	switch fault {
	case -2:
		f.refuse(w, 0)
	case -1:
		w.Write(f.pass(r, body))
	default:
		kinds[fault].does(f, w, r, body)
	}
}

// mortal is a server on one address that can die, with every connection, and come back.
type mortal struct {
	t       testing.TB
	address string
	handler http.Handler
	server  *http.Server
}

func (m *mortal) live() {
	m.t.Helper()
	var ln net.Listener
	var err error
	for end := time.Now().Add(5 * time.Second); ; <-time.After(5 * time.Millisecond) {
		if ln, err = net.Listen("tcp", m.address); err == nil {
			break
		}
		if time.Now().After(end) {
			m.t.Fatal(err)
		}
	}
	m.address = ln.Addr().String()
	m.server = &http.Server{Handler: m.handler, ReadHeaderTimeout: time.Minute, ErrorLog: silent()}
	go func(s *http.Server) { _ = s.Serve(ln) }(m.server) // it ends by die
}

func (m *mortal) die() { _ = m.server.Close() }
