package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// hostile are names that mean something to a database or to an encoding.
var hostile = []string{
	"", "plain", "a.b$c", "$set", "nul\x00in", "nul\x00", "\xff\xfe", "PLAIN", "plain ", "' OR 1=1 --", "%", "_",
	strings.Repeat("l", 1<<20), strings.Repeat("l", 1<<20-1),
}

func contexts(t *testing.T, s store.Store, _ *Clock) {
	for _, name := range hostile {
		for _, id := range []string{"", "first", "sec\x00ond\xff"} {
			k := store.SessionKey{Agent: "a", Conversation: name}
			if id != "" {
				must(t, s.PutContext(t.Context(), k, id))
			}
			if got, err := s.Context(t.Context(), k); err != nil || got != id {
				t.Errorf("%.10q: %q %v, want %q", name, got, err, id)
			}
		}
	}
}

// hostileKeys asks that each name is a key of its own, in both of its parts.
func hostileKeys(t *testing.T, s store.Store, _ *Clock) {
	ctx := t.Context()
	var keys []store.Key
	for _, name := range hostile {
		keys = append(keys, store.Key{Scope: "s", Name: name}, store.Key{Scope: name, Name: "n"})
	}
	keys = append(keys, store.Key{Scope: "ab", Name: "c"}, store.Key{Scope: "a", Name: "bc"})
	for i, k := range keys {
		r, err := s.Begin(ctx, k, hostile[i%12], "own\x00er", time.Minute, time.Hour)
		if err != nil || r.State != store.KeyBegun {
			t.Errorf("%.10q: %q %v", k, r.State, err)
		}
		must(t, s.Extend(ctx, k, "own\x00er", time.Minute))
		must(t, s.Finish(ctx, k, "own\x00er", []byte(k.Name), time.Hour))
	}
	for i, k := range keys {
		digest := hostile[i%12] // the short ones
		r, err := s.Begin(ctx, k, digest, "o", time.Minute, time.Hour)
		if err != nil || r.State != store.KeyDone || string(r.Result) != k.Name || r.Digest != digest {
			t.Errorf("%.10q: %q %v", k, r.State, err)
		}
	}
}

func hostileLeases(t *testing.T, s store.Store, _ *Clock) {
	ctx := t.Context()
	for _, name := range hostile {
		if got, err := s.Acquire(ctx, name, name+"o", time.Minute); err != nil || !got {
			t.Errorf("%.10q: %t %v", name, got, err)
		}
	}
	for _, name := range hostile {
		if got, err := s.Acquire(ctx, name, "other", time.Minute); err != nil || got {
			t.Errorf("%.10q: %t %v", name, got, err)
		}
		must(t, s.Renew(ctx, name, name+"o", time.Minute))
		must(t, s.Release(ctx, name, name+"o"))
		if err := s.Renew(ctx, name, name+"o", time.Minute); !errors.Is(err, store.ErrNotHeld) {
			t.Errorf("%.10q: %v", name, err)
		}
	}
}

func hostileTurns(t *testing.T, s store.Store, clock *Clock) {
	ctx := t.Context()
	for _, name := range hostile {
		want := store.Turn{
			Agent: name, Conversation: name, At: clock.Now().Add(1), Context: name, Task: name, Message: name, State: name,
		}
		must(t, s.RecordTurn(ctx, want))
		want.Seq = 1
		f := store.TurnFilter{Agent: name, Conversation: name}
		if name == "" {
			f.Until = want.At
		}
		got, err := s.Turns(ctx, f)
		must(t, err)
		if len(got) != 1 || got[0] != want {
			t.Errorf("%.10q: %d turns, or not as they were", name, len(got))
		}
	}
}

// farTimes asks that a turn outside of the years that are kept is refused, and that
// deadlines and bounds there mean what they say.
func farTimes(t *testing.T, s store.Store, clock *Clock) {
	ctx := t.Context()
	const ever = time.Duration(1<<63 - 1)
	for _, year := range []int{-100, 2, 1600, 2300, 9999} {
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := s.RecordTurn(ctx, store.Turn{Agent: "a", At: at}); err == nil || !strings.Contains(err.Error(), "1678") {
			t.Errorf("a turn of the year %d: %v", year, err)
		}
	}
	now := clock.Now().In(time.FixedZone("", 3600))
	must(t, s.RecordTurn(ctx, store.Turn{Agent: "a", At: now}))
	must(t, s.RecordTurn(ctx, store.Turn{Agent: "a"}))
	got, err := s.Turns(ctx, store.TurnFilter{Since: time.Date(2, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil || len(got) != 1 || got[0].Seq != 1 || got[0].At != now.UTC() {
		t.Errorf("within far bounds: %+v %v", got, err)
	}
	if all, err := s.Turns(ctx, store.TurnFilter{}); err != nil || len(all) != 2 || !all[0].At.IsZero() || all[0].Seq != 2 {
		t.Errorf("a turn without a time: %+v %v", all, err)
	}
	if r, err := s.Begin(ctx, key, "d", "a", ever, ever); err != nil || r.State != store.KeyBegun {
		t.Errorf("%+v %v", r, err)
	}
	if got, err := s.Acquire(ctx, "l", "a", ever); err != nil || !got {
		t.Errorf("%t %v", got, err)
	}
	clock.Pass(time.Hour)
	begin(t, s, "d", "b", store.KeyInFlight)
	if got, err := s.Acquire(ctx, "l", "b", time.Minute); err != nil || got {
		t.Errorf("a lease for ever was taken: %t %v", got, err)
	}
	must(t, s.Extend(ctx, key, "a", ever))
	must(t, s.Finish(ctx, key, "a", nil, ever))
	begin(t, s, "d", "b", store.KeyDone)
}
