package mcptools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/wire"
)

// counter is a mutating tool that gives each execution a number.
func counter(ran *atomic.Int64) tool {
	return tool{writes, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"issue %d"}]}}`, m.ID, ran.Add(1))
	}}
}

func TestTheSameKeyIsTheSameAnswer(t *testing.T) {
	var ran atomic.Int64
	s := &script{tools: map[string]tool{"create_issue": counter(&ran), "create_other": counter(&ran)}}
	b := start(t, setting{}, at(t, s))
	one := body(call{name: "create_issue", args: `{"title":"a","n":1}`})
	first := b.post(t, one, "X-Idempotency-Key", " k1 ")
	again := b.post(t, body(call{name: "create_issue", args: ` {"n":1, "title":"a"} `}), "X-Idempotency-Key", "k1")
	if first.result(0) != `{"result":"issue 1"}` || again.result(0) != first.result(0) || ran.Load() != 1 {
		t.Errorf("%s, then %s, after %d executions", first.body, again.body, ran.Load())
	}
	if first.head.Get("X-Idempotency-Replayed") != "" || again.head.Get("X-Idempotency-Replayed") != "true" ||
		string(again.at("peerwright", "calls", "0", "replayed")) != "true" || string(again.at("peerwright", "calls", "0", "attempts")) != "0" {
		t.Errorf("not said: %v %s", again.head, again.at("peerwright"))
	}
	// as forwarded
	if meta := wire.Get([]byte(s.calls[0]), "_meta"); string(wire.Get(meta, "idempotencyKey")) != `"k1"` || s.heads[0].Get("Idempotency-Key") != "k1" {
		t.Errorf("forwarded as %s and %v", meta, s.heads[0])
	}
	other := b.post(t, body(call{name: "create_issue", args: `{"title":"b"}`}), "X-Idempotency-Key", "k1")
	if other.status != http.StatusConflict || other.text("error", "class") != "conflict" || other.text("error", "code") != "idempotency_conflict" || string(other.at("error", "retryable")) != "false" {
		t.Errorf("%d %s", other.status, other.body)
	}
	tool := b.post(t, body(call{name: "create_other", args: `{"title":"a","n":1}`}), "X-Idempotency-Key", "k1")
	key := b.post(t, one, "X-Idempotency-Key", "k2")
	none := b.post(t, one)
	if tool.result(0) != `{"result":"issue 2"}` || key.result(0) != `{"result":"issue 3"}` || none.result(0) != `{"result":"issue 4"}` {
		t.Errorf("another tool %s, another key %s, no key %s", tool.body, key.body, none.body)
	}
}

// What is said again is what was said, byte for byte: space, signs that HTML knows, digits.
func TestAReplayHasTheSameBytes(t *testing.T) {
	const spoken = `{"page": [1, 2.0,  9007199254740993], "html": "<b>&amp;\u00e9</b>"}`
	for name, result := range map[string]string{
		"text":       `{"content":[{"type":"text","text":` + string(wire.Quote(spoken)) + `}]}`,
		"structured": `{"content":[], "structuredContent":` + spoken + `}`,
	} {
		s := &script{tools: map[string]tool{"create_issue": {writes, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		}}}}
		b := start(t, setting{}, at(t, s))
		one := body(call{name: "create_issue"})
		first, again := b.post(t, one, "X-Idempotency-Key", "k"), b.post(t, one, "X-Idempotency-Key", "k")
		if !strings.Contains(first.result(0), spoken) || again.result(0) != first.result(0) || again.head.Get("X-Idempotency-Replayed") != "true" {
			t.Errorf("%s: %s, then %s", name, first.result(0), again.result(0))
		}
	}
}

// One header stands for all calls of a request; the second call of a tool has a key of its
// own, and a call's own key wins.
func TestKeysOfSeveralCalls(t *testing.T) {
	var ran atomic.Int64
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"create_issue": counter(&ran)}}))
	three := body(call{name: "create_issue", args: `{"t":1}`}, call{name: "create_issue", args: `{"t":2}`}, call{"create_issue", `{"t":3}`, "mine"})
	first, again := b.post(t, three, "X-Idempotency-Key", "k"), b.post(t, three, "X-Idempotency-Key", "k")
	for i := range 3 {
		if want := fmt.Sprintf(`{"result":"issue %d"}`, i+1); first.result(i) != want || again.result(i) != want {
			t.Errorf("call %d: %s, then %s", i, first.result(i), again.result(i))
		}
	}
	mine := b.post(t, body(call{"create_issue", `{"t":3}`, "mine"}))
	if mine.result(0) != `{"result":"issue 3"}` || ran.Load() != 3 {
		t.Errorf("%s after %d executions", mine.body, ran.Load())
	}
}

// The name of a second call's key is one that no caller can write.
func TestADerivedKeyIsNoCallers(t *testing.T) {
	var ran atomic.Int64
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"create_issue": counter(&ran)}}))
	b.post(t, body(call{name: "create_issue", args: `{"t":1}`}, call{name: "create_issue", args: `{"t":2}`}), "X-Idempotency-Key", "k")
	if own := b.post(t, body(call{"create_issue", `{"t":3}`, "k#2"})); own.result(0) != `{"result":"issue 3"}` {
		t.Errorf("%s", own.body)
	}
	got := b.post(t, body(call{"create_issue", `{"t":2}`, "k\x002"}))
	if got.text("error", "class") != "invalid_args" || !strings.Contains(got.text("error", "message"), "control characters") || ran.Load() != 3 {
		t.Errorf("%s after %d executions", got.body, ran.Load())
	}
}

// One call is one however its numbers are spelled, as the server gets them in one way.
func TestTwoSpellingsOfANumber(t *testing.T) {
	var ran atomic.Int64
	declared := `"inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}`
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"create_issue": {declared, counter(&ran).call}}}))
	for _, args := range []string{`{"n":1}`, `{"n":1.0}`, `{"n":10e-1}`} {
		if got := b.post(t, body(call{name: "create_issue", args: args}), "X-Idempotency-Key", "k"); got.result(0) != `{"result":"issue 1"}` {
			t.Errorf("%s: %s", args, got.body)
		}
	}
}

// A failure that the tool came to is its answer, again and again.
func TestAFailureIsReplayedAsOne(t *testing.T) {
	for name, fails := range map[string]func(id string) string{
		"isError": func(id string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{"isError":true,"content":[{"type":"text","text":"the title is taken"}]}}`
		},
		"JSON-RPC": func(id string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":409,"message":"the title is taken","data":{"status":409}}}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int64
			b := start(t, setting{}, at(t, &script{tools: map[string]tool{"create_issue": {writes, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
				ran.Add(1)
				fmt.Fprint(w, fails(m.ID.String()))
			}}}}))
			first := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k")
			again := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k")
			if first.status < 400 || first.status != again.status || string(first.body) != string(again.body) || ran.Load() != 1 ||
				!strings.Contains(first.text("error", "message"), "the title is taken") || again.head.Get("X-Idempotency-Replayed") != "true" {
				t.Errorf("%d %s\nthen %d %s %v\nafter %d executions", first.status, first.body, again.status, again.body, again.head, ran.Load())
			}
		})
	}
}

// What was refused before it ran may be called again with the same key.
func TestWhatWasNotMadeIsForgotten(t *testing.T) {
	var came atomic.Int64
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"create_issue": {writes, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		if came.Add(1) == 1 {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`)))
	}}}}))
	first := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k")
	if first.status != 429 || first.head.Get("Retry-After") != "7" || string(first.at("error", "retryable")) != "true" || first.text("error", "context", "outcome") != "not_run" {
		t.Errorf("%d %v %s", first.status, first.head, first.body)
	}
	if again := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k"); again.result(0) != `{"result":"done"}` {
		t.Errorf("%s", again.body)
	}
}

// A call that was sent and never answered may have been made: no key makes it again.
func TestAnUnknownOutcomeStaysUnknown(t *testing.T) {
	var came atomic.Int64
	cut := func(declared string) tool {
		return tool{declared, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
			if came.Add(1); m.Params != nil && strings.Contains(string(m.Params), "cut") && came.Load() == 1 {
				panic(http.ErrAbortHandler)
			}
			w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`)))
		}}
	}
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{
		"create_issue": cut(writes), "set_title": cut(`"annotations":{"readOnlyHint":false,"idempotentHint":true},"inputSchema":{"type":"object"}`),
	}}))
	req := body(call{name: "create_issue", args: `{"a":"cut"}`})
	for range 3 {
		got := b.post(t, req, "X-Idempotency-Key", "k")
		if got.status < 500 || got.text("error", "context", "outcome") != "unknown" || string(got.at("error", "retryable")) != "false" || got.head.Get("X-Should-Retry") != "false" {
			t.Errorf("%d %v %s", got.status, got.head, got.body)
		}
	}
	if got := b.post(t, req, "X-Idempotency-Key", "k"); got.text("error", "class") != "timeout" || !strings.Contains(got.text("error", "message"), "may have been executed") || came.Load() != 1 {
		t.Errorf("%s after %d executions", got.body, came.Load())
	}
	came.Store(0)
	if got := b.post(t, body(call{name: "set_title", args: `{"a":"cut"}`}), "X-Idempotency-Key", "k"); got.result(0) != `{"result":"done"}` || came.Load() != 2 {
		t.Errorf("a call that does no harm twice: %s after %d", got.body, came.Load())
	}
}

// Those who come with the same key at the same time share one execution.
func TestConcurrentDuplicates(t *testing.T) {
	var ran atomic.Int64
	hold := make(chan struct{})
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"create_issue": {writes, func(w http.ResponseWriter, r *http.Request, m wire.Message) {
		<-hold
		counter(&ran).call(w, r, m)
	}}}}))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k"); got.result(0) != `{"result":"issue 1"}` {
				t.Errorf("%s", got.body)
			}
		})
	}
	time.AfterFunc(50*time.Millisecond, func() { close(hold) })
	all.Wait()
	if ran.Load() != 1 {
		t.Errorf("%d executions", ran.Load())
	}
}

// Who waits for another's call longer than a call may take is told that it still runs.
func TestADuplicateThatOutlastsItsWait(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	keys := start(t, setting{options: func(o *mcptools.Options) { o.Timeout = 100 * time.Millisecond }}, at(t, &script{tools: map[string]tool{"create_issue": says(writes, "x")}}))
	begun(t, keys, "create_issue", time.Minute)
	got := keys.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k")
	if got.status != http.StatusConflict || !strings.Contains(got.text("error", "message"), "still running") || got.text("error", "context", "outcome") != "unknown" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// emptyArgs is the digest of {}.
const emptyArgs = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

// begun claims the key k as another bridge would that is in the middle of the call.
func begun(t *testing.T, b *bridge, tool string, lease time.Duration) {
	t.Helper()
	k := store.Key{Scope: "\x00server1\x00" + tool, Name: "k"}
	if r, err := b.keys.Begin(t.Context(), k, emptyArgs, "another bridge", lease, time.Hour); err != nil || r.State != store.KeyBegun {
		t.Fatal(r, err)
	}
}

// A bridge that was killed in the middle of a call leaves a claim without an end.
func TestAfterACrash(t *testing.T) {
	s := &script{tools: map[string]tool{"create_issue": says(writes, "x"), "get_issue": says(reads, "y")}}
	b := start(t, setting{}, at(t, s))
	begun(t, b, "create_issue", time.Nanosecond)
	begun(t, b, "get_issue", time.Nanosecond)
	got := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k")
	if got.status != http.StatusGatewayTimeout || got.text("error", "class") != "timeout" || got.text("error", "context", "outcome") != "unknown" || s.made() != 0 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := b.post(t, body(call{name: "get_issue"}), "X-Idempotency-Key", "k"); got.result(0) != `{"result":"y"}` {
		t.Errorf("a call that only reads: %s", got.body)
	}
}

// A client that leaves does not end the call that its key stands for.
func TestTheClientLeaves(t *testing.T) {
	arrived, hold := make(chan struct{}, 1), make(chan struct{})
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"create_issue": {writes, func(w http.ResponseWriter, r *http.Request, m wire.Message) {
		arrived <- struct{}{}
		select {
		case <-hold:
			w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`)))
		case <-r.Context().Done():
		}
	}}}}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	b.postWith(t, ctx, body(call{name: "create_issue"}), "X-Idempotency-Key", "k")
	close(hold)
	if got := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k"); got.result(0) != `{"result":"done"}` {
		t.Errorf("%s", got.body)
	}
}

// broken is a store that fails at one point.
type broken struct {
	store.Keys
	begin, finish error
}

func (s broken) Begin(ctx context.Context, k store.Key, digest, owner string, lease, ttl time.Duration) (store.KeyRecord, error) {
	if s.begin != nil {
		return store.KeyRecord{}, s.begin
	}
	return s.Keys.Begin(ctx, k, digest, owner, lease, ttl)
}

func (s broken) Finish(ctx context.Context, k store.Key, owner string, result []byte, ttl time.Duration) error {
	if s.finish != nil {
		return s.finish
	}
	return s.Keys.Finish(ctx, k, owner, result, ttl)
}

func TestAStoreThatFails(t *testing.T) {
	var ran atomic.Int64
	s := &script{tools: map[string]tool{"create_issue": counter(&ran)}}
	b := start(t, setting{options: func(o *mcptools.Options) {
		o.Keys = broken{Keys: o.Keys, begin: errors.New("disk full at /var/secret")}
	}}, at(t, s))
	got := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k")
	if got.status != 503 || got.text("error", "context", "outcome") != "not_run" || strings.Contains(string(got.body), "/var/secret") || ran.Load() != 0 {
		t.Errorf("%d %s after %d executions", got.status, got.body, ran.Load())
	}
	if got := b.post(t, body(call{name: "create_issue"})); got.result(0) != `{"result":"issue 1"}` {
		t.Errorf("without a key: %s", got.body)
	}
	b = start(t, setting{options: func(o *mcptools.Options) {
		o.Keys, o.Lease, o.Timeout = broken{Keys: o.Keys, finish: errors.New("disk full")}, 20*time.Millisecond, 500*time.Millisecond
	}}, at(t, s))
	got = b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k")
	if got.result(0) != `{"result":"issue 2"}` || !strings.Contains(string(got.at("peerwright")), "could not be stored") {
		t.Errorf("%s", got.body)
	}
	if got = b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k"); got.text("error", "context", "outcome") != "unknown" || ran.Load() != 2 {
		t.Errorf("%s after %d executions", got.body, ran.Load())
	}
}

// A call that takes longer than the lease keeps its claim.
func TestTheLeaseIsProlonged(t *testing.T) {
	var ran atomic.Int64
	s := &script{tools: map[string]tool{"create_issue": {writes, func(w http.ResponseWriter, r *http.Request, m wire.Message) {
		<-time.After(4 * time.Second)
		counter(&ran).call(w, r, m)
	}}}}
	b := start(t, setting{options: func(o *mcptools.Options) { o.Lease = time.Second }}, at(t, s))
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if got := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k"); got.result(0) != `{"result":"issue 1"}` {
				t.Errorf("%s", got.body)
			}
		})
	}
	all.Wait()
}

// Callers with other keys of the bridge, or other credentials, share no idempotency key.
func TestKeysDoNotCrossCallers(t *testing.T) {
	var ran atomic.Int64
	s := &script{tools: map[string]tool{"create_issue": counter(&ran)}}
	b := start(t, setting{server: func(o *openai.Options) { o.Keys = []string{"alice-key", "bob-key"} }}, at(t, s))
	alice := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k", "Authorization", "Bearer alice-key")
	bob := b.post(t, body(call{name: "create_issue"}), "X-Idempotency-Key", "k", "Authorization", "Bearer bob-key")
	if alice.result(0) != `{"result":"issue 1"}` || bob.result(0) != `{"result":"issue 2"}` {
		t.Errorf("%s and %s", alice.body, bob.body)
	}
	if one, other := s.heads[0].Get("Idempotency-Key"), s.heads[1].Get("Idempotency-Key"); one == other || !strings.HasSuffix(one, ".k") {
		t.Errorf("the server sees %q and %q", one, other)
	}
}
