package toolserver_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// TestKeysOnce asks that a call with a key is made once: again, at the same time, with
// other arguments, by another caller, after a denial and after a timeout.
func TestKeysOnce(t *testing.T) {
	var allow atomic.Bool
	d := newDesk(t, toolserver.Options{Confirm: func(context.Context, toolserver.Ask) (bool, error) { return allow.Load(), nil }})
	call := func(tool, caller, key, args string) toolserver.Result {
		return d.Call(t.Context(), toolserver.Call{Tool: tool, Caller: caller, Key: key, Arguments: json.RawMessage(args)})
	}
	first := call("commit", "ann", "k", `{"repo":"a"}`)
	again := call("commit", "ann", "k", `{ "repo" : "a" }`)
	if first.Replayed || !again.Replayed || again.Text != first.Text || d.ran.Load() != 1 {
		t.Errorf("%+v, then %+v; it ran %d times", first, again, d.ran.Load())
	}
	if other := call("commit", "ann", "k", `{"repo":"b"}`); other.Failure == nil || other.Failure.Class != toolserver.Conflict {
		t.Errorf("with other arguments: %+v", other)
	}
	if other := call("commit", "bob", "k", `{"repo":"b"}`); other.Replayed || other.Outcome != toolserver.OK {
		t.Errorf("of another caller: %+v", other)
	}
	if denied := call("wipe", "ann", "w", `{"repo":"a"}`); denied.Outcome != toolserver.Denied {
		t.Errorf("denied: %+v", denied)
	}
	allow.Store(true)
	if later := call("wipe", "ann", "w", `{"repo":"a"}`); later.Replayed || later.Outcome != toolserver.OK {
		t.Errorf("after a denial: %+v", later)
	}
	before := d.ran.Load()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if res := call("commit", "ann", "race", `{"repo":"c"}`); res.Outcome != toolserver.OK {
				t.Errorf("at the same time: %+v", res)
			}
		})
	}
	wg.Wait()
	if d.ran.Load() != before+1 {
		t.Errorf("it ran %d times", d.ran.Load()-before)
	}
}

// TestLateResult asks that a call with a key which was given up is not made again, and
// that what it came to is known once it has come.
func TestLateResult(t *testing.T) {
	s, err := toolserver.New("slow", toolserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	release, ran := make(chan struct{}), atomic.Int32{}
	err = toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "slow", Timeout: 5 * time.Millisecond}, func(context.Context, struct{}) (string, error) {
		ran.Add(1)
		<-release
		return "done after all", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := toolserver.Call{Tool: "slow", Key: "k"}
	if res := s.Call(t.Context(), c); res.Outcome != toolserver.Timeout {
		t.Fatalf("%+v", res)
	}
	time.AfterFunc(10*time.Millisecond, func() { close(release) })
	if res := s.Call(t.Context(), c); !res.Replayed || res.Text != "done after all" || ran.Load() != 1 {
		t.Errorf("%+v; it ran %d times", res, ran.Load())
	}
}
