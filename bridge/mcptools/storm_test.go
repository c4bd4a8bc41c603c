package mcptools_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/wire"
)

// weather is an MCP server that executes calls of one mutating tool, counts them by key, and
// goes wrong in every way between.
type weather struct {
	mu  sync.Mutex
	ran map[string]int
	n   int
	rnd *rand.Rand
}

func (s *weather) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := wire.Parse(body)
	w.Header().Set("Content-Type", "application/json")
	switch m.Method {
	case "server/discover":
		w.Write(wire.Result(m.ID, json.RawMessage(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)))
	case "tools/list":
		w.Write(wire.Result(m.ID, json.RawMessage(`{"tools":[{"name":"create_order",`+writes+`}]}`)))
	case "tools/call":
		s.call(w, m)
	}
}

func (s *weather) execute(m wire.Message) json.RawMessage {
	key, _ := wire.Text(wire.Path(m.Params, "_meta", "idempotencyKey"))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	s.ran[key]++
	return json.RawMessage(fmt.Sprintf(`{"content":[],"structuredContent":{"order":%d}}`, s.n))
}

func (s *weather) fault() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rnd.IntN(60)
}

func (s *weather) call(w http.ResponseWriter, m wire.Message) {
	switch s.fault() {
	case 0: // 429 without having looked
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	case 1:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, "<html>busy</html>")
	case 2: // the connection breaks before
		panic(http.ErrAbortHandler)
	case 3: // and after
		s.execute(m)
		panic(http.ErrAbortHandler)
	case 4: // a stream is cut after the work is done
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": working\n\n")
		http.NewResponseController(w).Flush()
		s.execute(m)
		panic(http.ErrAbortHandler)
	case 5: // the answer to another
		w.Write(wire.Result(wire.StringID("other"), s.execute(m)))
	case 6: // half an answer
		w.Write(wire.Result(m.ID, s.execute(m))[:20])
	case 7: // a gateway lost it
		s.execute(m)
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, "<html>bad gateway</html>")
	case 8: // it hangs
		s.execute(m)
		<-time.After(150 * time.Millisecond)
	case 9:
		w.Write(wire.Failure(m.ID, -32602, "no such article", nil))
	default:
		w.Write(wire.Result(m.ID, s.execute(m)))
	}
}

// told is what callers were told about one key.
type told struct {
	mu      sync.Mutex
	answers map[string]bool // results
	unknown bool
}

// In all that weather each call with a key is executed once, or said to be unknown; nobody
// is told two things of one call, and nothing is left when it is over.
func TestStorm(t *testing.T) {
	keys, callers := 3400, 24
	if testing.Short() {
		keys = 300
	}
	before := runtime.NumGoroutine()
	sky := &weather{ran: map[string]int{}, rnd: rand.New(rand.NewPCG(1, 2))}
	heard := make([]told, keys)
	func() {
		web := httptest.NewUnstartedServer(sky)
		web.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handlers that break off
		web.Start()
		defer web.Close()
		b := start(t, setting{options: func(o *mcptools.Options) { o.Timeout = 100 * time.Millisecond }},
			upstream.Config{Target: dial.Target{URL: web.URL}, Timeout: 10 * time.Second})
		var crowd sync.WaitGroup
		work := make(chan int)
		for range callers {
			crowd.Go(func() {
				for i := range work {
					b.insist(t, i, &heard[i])
				}
			})
		}
		for i := range keys * 3 { // each key three times, among others and at once
			work <- i % keys
		}
		close(work)
		crowd.Wait()
		b.close()
	}()
	if unknown := judge(t, sky, heard); unknown == 0 || unknown > keys/3 {
		t.Errorf("%d of %d are unknown", unknown, keys)
	}
	nothingLeft(t, before)
}

// judge compares what callers were told with what was done, and counts the unknown.
func judge(t *testing.T, sky *weather, heard []told) (unknown int) {
	t.Helper()
	sky.mu.Lock()
	defer sky.mu.Unlock()
	for i := range heard {
		key := fmt.Sprint("key-", i)
		h := &heard[i]
		if h.unknown {
			unknown++
		}
		switch ran := sky.ran[key]; {
		case ran > 1:
			t.Errorf("%s was executed %d times", key, ran)
		case len(h.answers) > 1:
			t.Errorf("%s was answered differently: %v", key, h.answers)
		case len(h.answers) == 1 && h.unknown:
			t.Errorf("%s was said to be unknown, and answered with %v", key, h.answers)
		case len(h.answers) == 0 && !h.unknown:
			t.Errorf("nobody was told of %s", key)
		}
	}
	return unknown
}

// insist calls until it is told what there is to know.
func (b *bridge) insist(t *testing.T, i int, h *told) {
	for range 30 {
		got := b.post(t, body(call{name: "create_order", args: fmt.Sprintf(`{"n":%d}`, i)}), "X-Idempotency-Key", fmt.Sprint("key-", i))
		if h.take(t, got) {
			return
		}
	}
	t.Errorf("key %d came to no end", i)
}

// take notes what an answer says of the call, and tells whether it says anything.
func (h *told) take(t *testing.T, got answer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch outcome := got.text("error", "context", "outcome"); {
	case got.status == 200:
		h.answers = add(h.answers, got.result(0))
	case outcome == "unknown" && got.text("error", "class") == "conflict": // still running: ask again
		return false
	case outcome == "unknown":
		h.unknown = true
		if string(got.at("error", "retryable")) != "false" {
			t.Errorf("an unknown outcome is to be repeated: %s", got.body)
		}
	case string(got.at("error", "retryable")) == "true":
		return false
	default:
		h.answers = add(h.answers, got.text("error", "message"))
	}
	return true
}

func add(set map[string]bool, s string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[s] = true
	return set
}

// nothingLeft waits until no more goroutines run than before.
func nothingLeft(t *testing.T, before int) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines are left of %d\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}
