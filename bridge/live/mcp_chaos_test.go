package live_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// chaosEnv says how many calls TestChaos makes; the full run has 10000.
const chaosEnv = "PEERWRIGHT_CHAOS_CALLS"

func silent() *log.Logger { return log.New(io.Discard, "", 0) } // of handlers that break off

// told is what callers were told about one key.
type told struct {
	mu      sync.Mutex
	answers map[[32]byte]string
	unknown bool
}

// chaos is a run: callers who insist, a bridge that is killed, a server that dies.
type chaos struct {
	url    string
	client *http.Client
	alive  atomic.Int64 // odd while the bridge is held to be there
	heard  []told

	requests, replays, refused, cut, deferred atomic.Int64
}

// In front of a server in trouble, and killed itself at random, the bridge executes each
// call with a key once, or says that it cannot be known; it tells nobody two things of one
// call, answers every request while it lives, and nothing grows.
func TestChaos(t *testing.T) {
	made := 1500
	if n, err := strconv.Atoi(os.Getenv(chaosEnv)); err == nil {
		made = n
	}
	keys, callers := (made+2)/3, 24
	book := &ledger{ran: map[string]int{}}
	sky := &faults{next: book, rnd: rand.New(rand.NewPCG(3, 4)), seen: map[string]int{}}
	server := &mortal{t: t, address: "127.0.0.1:0", handler: sky}
	server.live()
	defer func() { server.die() }()

	file := configure(t, "  store: sqlite://"+filepath.Join(t.TempDir(), "chaos.db")+"\n  timeout: 1s\n  key_lease: 3s\n", "http://"+server.address)
	args := []string{"bridge", "--config", file, "--port", freePort(t), "--quiet"}
	start := func() *running { return launch(t, program(t, nil, args...)) }
	r := start()
	defer func() { r.kill(t) }()
	c := &chaos{url: r.url, heard: make([]told, keys), client: &http.Client{
		Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: callers},
	}}
	c.alive.Add(1)

	began, done := time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		c.call(t, callers, keys)
	}()
	kills, deaths := 0, 0
	for over := false; !over; {
		select {
		case <-done:
			over = true
		case <-time.After(time.Duration(200+rand.IntN(800)) * time.Millisecond):
			if rand.IntN(4) == 0 {
				deaths++
				server.die()
				<-time.After(50 * time.Millisecond)
				server.live()
				continue
			}
			kills++
			c.alive.Add(1)
			r.kill(t)
			r = start()
			c.alive.Add(1)
		}
	}
	took := time.Since(began)
	unknown := c.judge(t, book)
	c.nothingGrows(t, r)
	if code := r.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit %d: %s", code, r.errs)
	}
	t.Logf("%d calls with %d keys in %v: %d requests, %d replays, %d refusals that may be repeated, %d cut off by a kill, %d put off; the bridge was killed %d times, the server died %d times; %d executions, %d keys unknown; faults %v",
		keys*3, keys, took.Round(time.Second), c.requests.Load(), c.replays.Load(), c.refused.Load(), c.cut.Load(), c.deferred.Load(), kills, deaths, book.n, unknown, sky.seen)
	if kills == 0 || unknown == 0 || unknown > keys/3 || c.replays.Load() == 0 {
		t.Errorf("%d kills, %d of %d unknown, %d replays: this was no chaos", kills, unknown, keys, c.replays.Load())
	}
}

// call makes each call three times, among others and at once, and those again of which
// nothing could be said yet.
func (c *chaos) call(t *testing.T, callers, keys int) {
	work := make(chan int, 4*keys) // room for what is put off
	var left sync.WaitGroup
	for i := range 3 * keys {
		left.Add(1)
		work <- i % keys
	}
	var crowd sync.WaitGroup
	for range callers {
		crowd.Go(func() {
			for i := range work {
				if c.insist(t, i) {
					left.Done()
				} else {
					c.deferred.Add(1)
					work <- i
				}
			}
		})
	}
	left.Wait()
	close(work)
	crowd.Wait()
}

// insist asks until it is told what there is to know, or that another makes the call.
func (c *chaos) insist(t *testing.T, key int) bool {
	body := calls(call2("create_order", fmt.Sprintf(`{"n":%d}`, key)))
	for range 3000 { // each waits a little, or for an answer
		got, ok := c.post(t, body, fmt.Sprint("key-", key))
		if !ok {
			continue
		}
		if done, again := c.heard[key].take(c, t, got); done {
			return true
		} else if !again {
			return false
		}
	}
	t.Errorf("key %d came to no end", key)
	return true
}

// post sends the call. What is not answered must have been cut off by a kill.
func (c *chaos) post(t *testing.T, body, key string) (answer, bool) {
	before := c.alive.Load()
	c.requests.Add(1)
	req, err := http.NewRequest(http.MethodPost, c.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return answer{}, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Idempotency-Key", key)
	resp, err := c.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		var raw []byte
		if raw, err = io.ReadAll(resp.Body); err == nil {
			return answer{resp.StatusCode, resp.Header, bytes.TrimSpace(raw)}, true
		}
	}
	c.cut.Add(1)
	for end := time.Now().Add(5 * time.Second); before%2 == 1 && c.alive.Load() == before; <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("a request was not answered, and nobody was killed: %v", err)
			break
		}
	}
	<-time.After(10 * time.Millisecond) // it is not there yet
	return answer{}, false
}

// take notes what an answer says of the call: whether that is all there is to know, and
// else whether to ask again at once.
func (h *told) take(c *chaos, t *testing.T, got answer) (done, again bool) {
	if got.head.Get("X-Idempotency-Replayed") == "true" {
		c.replays.Add(1)
	}
	outcome, class := got.text("error", "context", "outcome"), got.text("error", "class")
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case got.status == 200:
		h.add(got.result(0))
	case outcome == "unknown" && class == "conflict": // still running, or its bridge is gone
		return false, false
	case outcome == "unknown":
		h.unknown = true
		if string(got.at("error", "retryable")) != "false" {
			t.Errorf("an unknown outcome is to be repeated: %s", got.body)
		}
	case string(got.at("error", "retryable")) == "true":
		c.refused.Add(1)
		return false, true
	case class == "":
		t.Errorf("no answer at all: %d %.300s", got.status, got.body)
	default:
		h.add(got.text("error", "message"))
	}
	return true, false
}

func (h *told) add(text string) {
	if h.answers == nil {
		h.answers = map[[32]byte]string{}
	}
	h.answers[sha256.Sum256([]byte(text))] = text[:min(len(text), 200)]
}

// judge compares what callers were told with what was done, and counts the unknown.
func (c *chaos) judge(t *testing.T, book *ledger) (unknown int) {
	t.Helper()
	book.mu.Lock()
	defer book.mu.Unlock()
	for i := range c.heard {
		key, h := fmt.Sprint("key-", i), &c.heard[i]
		if h.unknown {
			unknown++
		}
		switch ran := book.ran[key]; {
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

// nothingGrows makes calls on the last bridge and holds that it has no more goroutines
// after them than before.
func (c *chaos) nothingGrows(t *testing.T, r *running) {
	t.Helper()
	c.client.CloseIdleConnections()
	before := settled(t, r, 0)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() { c.insist(t, i%len(c.heard)) })
	}
	all.Wait()
	c.client.CloseIdleConnections()
	if after := settled(t, r, before+5); after > before+5 {
		t.Errorf("%d goroutines after 200 calls, %d before", after, before)
	}
}

// settled returns how many goroutines the bridge has, once they are few enough, or 5 s
// later.
func settled(t *testing.T, r *running, few int) int {
	t.Helper()
	n := 0
	for end := time.Now().Add(5 * time.Second); ; <-time.After(50 * time.Millisecond) {
		_, rest, _ := bytes.Cut(r.get(t, "/metrics").body, []byte("\ngo_goroutines "))
		if _, err := fmt.Sscan(string(rest), &n); err != nil {
			t.Fatal(err)
		}
		if n <= few || time.Now().After(end) || few == 0 {
			return n
		}
	}
}
