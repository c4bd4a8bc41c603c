package toolserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// TestTenThousand makes ten thousand calls at once: good ones, failures, panics,
// timeouts, denials and wrong arguments, while a confirmer leaves some hanging. It asks
// that those which need no confirmation all end while the others hang, and for one row
// for each call, with its own outcome, in a chain that holds.
func TestTenThousand(t *testing.T) {
	const calls, kinds = 10_000, 8
	decided := make(chan struct{})
	s, err := toolserver.New("busy", toolserver.Options{
		Audit: filepath.Join(t.TempDir(), "audit.db"), Timeout: time.Minute, ConfirmTimeout: time.Minute,
		Confirm: func(ctx context.Context, ask toolserver.Ask) (bool, error) {
			select {
			case <-decided:
				return ask.Tool == "burn", nil
			case <-ctx.Done():
				return false, ctx.Err()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	type in struct {
		N int `json:"n"`
	}
	ok := func(_ context.Context, in in) (int, error) { return in.N, nil }
	err = errors.Join(
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "read"}, ok),
		toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "write"}, ok),
		toolserver.Add(s, toolserver.Destructive, toolserver.Tool{Name: "burn"}, ok),
		toolserver.Add(s, toolserver.Destructive, toolserver.Tool{Name: "bury"}, ok),
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "fail"}, func(context.Context, in) (int, error) { return 0, errors.New("no") }),
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "panic"}, func(context.Context, in) (int, error) { panic("ouch") }),
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "hang", Timeout: time.Millisecond}, func(ctx context.Context, _ in) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	plan := [kinds]struct {
		tool, args string
		want       toolserver.Outcome
		waits      bool
	}{
		{"read", `{"n":%d}`, toolserver.OK, false},
		{"write", `{"n":%d}`, toolserver.OK, false},
		{"fail", `{"n":%d}`, toolserver.Failed, false},
		{"panic", `{"n":%d}`, toolserver.Failed, false},
		{"hang", `{"n":%d}`, toolserver.Timeout, false},
		{"read", `{"m":%d}`, toolserver.Invalid, false},
		{"burn", `{"n":%d}`, toolserver.OK, true},
		{"bury", `{"n":%d}`, toolserver.Denied, true},
	}
	var prompt, slow sync.WaitGroup
	var wrong atomic.Int32
	for i := range calls {
		p := plan[i%kinds]
		group := &prompt
		if p.waits {
			group = &slow
		}
		group.Go(func() {
			res := s.Call(t.Context(), toolserver.Call{Tool: p.tool, Arguments: fmt.Appendf(nil, p.args, i), Correlation: fmt.Sprint(i)})
			if res.Outcome != p.want && wrong.Add(1) < 5 {
				t.Errorf("call %d of %s: %s, %s", i, p.tool, res.Outcome, res.Text)
			}
		})
	}
	prompt.Wait() // stalls for ever if those that wait hold up the others
	close(decided)
	slow.Wait()
	rows, err := s.Audit().Entries(t.Context(), toolserver.Filter{})
	if err != nil || len(rows) != calls {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		var i int
		if _, err := fmt.Sscan(row.Correlation, &i); err != nil || seen[row.Correlation] || row.Outcome != plan[i%kinds].want || row.Tool != plan[i%kinds].tool {
			t.Fatalf("a row of no call, or a second one: %+v", row)
		}
		seen[row.Correlation] = true
	}
	if v, err := s.Audit().Verify(t.Context()); err != nil || !v.Sound() || v.Rows != calls {
		t.Errorf("%+v %v", v, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzArguments asks that no arguments panic, and that what passes is what the type says.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"repo":"a"}`, `{"repo":"a","nested":{"b":[1,{"c":null}]}}`, `[`, `{"repo":"\ud800"}`, `{"repo":"a","count":1.0}`, `{"repo":"a","count":-0.0}`} {
		f.Add([]byte(seed))
	}
	s, err := toolserver.New("fuzz", toolserver.Options{Confirm: yes})
	if err != nil {
		f.Fatal(err)
	}
	err = toolserver.Add(s, toolserver.Destructive, toolserver.Tool{Name: "fuzz"}, func(_ context.Context, in deskIn) (deskIn, error) { return in, nil })
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		res := s.Call(t.Context(), toolserver.Call{Tool: "fuzz", Arguments: args})
		switch res.Outcome {
		case toolserver.Invalid:
			if res.Failure == nil || res.Text == "" {
				t.Errorf("refused without a word: %+v", res)
			}
		case toolserver.OK:
			if !json.Valid(res.Structured) {
				t.Errorf("came back as %s", res.Structured)
			}
		default:
			t.Errorf("%s: %s", res.Outcome, res.Text)
		}
	})
}
