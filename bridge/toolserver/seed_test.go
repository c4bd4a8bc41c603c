package toolserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// desk is a server without any transport, whose tools count how often they ran.
type desk struct {
	*toolserver.Server
	ran, asked atomic.Int32
}

type deskIn struct {
	Repo   string         `json:"repo" jsonschema:"the path of the repository"`
	Count  int            `json:"count,omitempty"`
	Nested map[string]any `json:"nested,omitempty"`
}

func newDesk(t *testing.T, o toolserver.Options) *desk {
	t.Helper()
	if o.Audit == "" {
		o.Audit = filepath.Join(t.TempDir(), "audit.db")
	}
	d := &desk{}
	if hook := o.Confirm; hook != nil {
		o.Confirm = func(ctx context.Context, ask toolserver.Ask) (bool, error) { d.asked.Add(1); return hook(ctx, ask) }
	}
	s, err := toolserver.New("desk", o)
	if err != nil {
		t.Fatal(err)
	}
	d.Server = s
	t.Cleanup(func() { _ = s.Close() })
	run := func(_ context.Context, in deskIn) (string, error) { d.ran.Add(1); return "done with " + in.Repo, nil }
	for name, tier := range map[string]toolserver.Tier{"status": toolserver.ReadOnly, "commit": toolserver.Write, "wipe": toolserver.Destructive} {
		if err := toolserver.Add(s, tier, toolserver.Tool{Name: name}, run); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *desk) call(t *testing.T, tool, args string) toolserver.Result {
	t.Helper()
	return d.Call(t.Context(), toolserver.Call{Tool: tool, Arguments: json.RawMessage(args), Caller: "tester"})
}

func (d *desk) rows(t *testing.T, f toolserver.Filter) []toolserver.Entry {
	t.Helper()
	rows, err := d.Audit().Entries(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func yes(context.Context, toolserver.Ask) (bool, error) { return true, nil }

// TestTiers is the predecessor's permission model, point by point, with what it left open
// decided: a read-only server denies the destructive tool even where a hook would allow
// it, and a hook that fails, panics or takes too long denies.
func TestTiers(t *testing.T) {
	no := func(context.Context, toolserver.Ask) (bool, error) { return false, nil }
	fails := func(context.Context, toolserver.Ask) (bool, error) {
		return true, errors.New("the policy service is down")
	}
	panics := func(context.Context, toolserver.Ask) (bool, error) { panic("hook") }
	hangs := func(ctx context.Context, _ toolserver.Ask) (bool, error) { <-ctx.Done(); return true, nil }
	tests := []struct {
		name  string
		o     toolserver.Options
		tool  string
		want  toolserver.Outcome
		asked int32
		words string
	}{
		{"reading is always allowed", toolserver.Options{}, "status", toolserver.OK, 0, ""},
		{"reading is allowed on a read-only server", toolserver.Options{ReadOnly: true}, "status", toolserver.OK, 0, ""},
		{"writing is allowed", toolserver.Options{}, "commit", toolserver.OK, 0, ""},
		{"writing needs no confirmation", toolserver.Options{Confirm: no}, "commit", toolserver.OK, 0, ""},
		{"writing is denied on a read-only server", toolserver.Options{ReadOnly: true}, "commit", toolserver.Denied, 0, "read-only"},
		{"destroying is denied without a hook", toolserver.Options{}, "wipe", toolserver.Denied, 0, "no confirmation hook"},
		{"destroying is allowed when the hook says so", toolserver.Options{Confirm: yes}, "wipe", toolserver.OK, 1, ""},
		{"destroying is denied when the hook says no", toolserver.Options{Confirm: no}, "wipe", toolserver.Denied, 1, "not confirmed"},
		{"destroying is denied when the hook fails", toolserver.Options{Confirm: fails}, "wipe", toolserver.Denied, 1, "policy service is down"},
		{"destroying is denied when the hook panics", toolserver.Options{Confirm: panics}, "wipe", toolserver.Denied, 1, "panicked"},
		{"destroying is denied when nobody decides", toolserver.Options{Confirm: hangs, ConfirmTimeout: time.Millisecond}, "wipe", toolserver.Denied, 1, "nobody decided"},
		{"destroying is denied on a read-only server", toolserver.Options{ReadOnly: true, Confirm: yes}, "wipe", toolserver.Denied, 0, "read-only"},
		{"on the allow-list", toolserver.Options{Confirm: toolserver.Allowlist("other", "wipe")}, "wipe", toolserver.OK, 1, ""},
		{"not on the allow-list", toolserver.Options{Confirm: toolserver.Allowlist("other")}, "wipe", toolserver.Denied, 1, "not confirmed"},
		{"nobody to ask", toolserver.Options{Confirm: toolserver.FirstOf(toolserver.Elicit(), toolserver.Elicit())}, "wipe", toolserver.Denied, 1, "nobody to ask"},
		{"the second hook", toolserver.Options{Confirm: toolserver.FirstOf(toolserver.Elicit(), yes)}, "wipe", toolserver.OK, 1, ""},
		{"the first that has somebody decides", toolserver.Options{Confirm: toolserver.FirstOf(no, yes)}, "wipe", toolserver.Denied, 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, tt.o)
			res := d.call(t, tt.tool, `{"repo":"/src"}`)
			if res.Outcome != tt.want || d.asked.Load() != tt.asked || !strings.Contains(res.Text, tt.words) {
				t.Errorf("%s, asked %d times: %s", res.Outcome, d.asked.Load(), res.Text)
			}
			if ran := d.ran.Load() == 1; ran != (tt.want == toolserver.OK) {
				t.Errorf("it ran %d times", d.ran.Load())
			}
			if tt.want == toolserver.Denied && (res.Failure == nil || res.Failure.Class != toolserver.Permission) {
				t.Errorf("the failure is %+v", res.Failure)
			}
			rows := d.rows(t, toolserver.Filter{})
			if len(rows) != 1 || rows[0].Outcome != tt.want || rows[0].Tool != tt.tool || rows[0].Caller != "tester" || !strings.Contains(rows[0].Detail, tt.words) {
				t.Errorf("audited: %+v", rows)
			}
		})
	}
}

// TestArguments asks that wrong arguments reach neither the hook nor the tool, whatever
// is wrong with them, and are audited.
func TestArguments(t *testing.T) {
	tests := []struct {
		name, args string
		want       toolserver.Outcome
		words      string
	}{
		{"good", `{"repo":"/src"}`, toolserver.OK, ""},
		{"a whole number with a fraction", `{"repo":"/src","count":5.0}`, toolserver.OK, ""},
		{"any member of a map", `{"repo":"/src","nested":{"a":1,"b":[{}]}}`, toolserver.OK, ""},
		{"none at all", ``, toolserver.Invalid, "repo"},
		{"missing", `{}`, toolserver.Invalid, "missing properties: 'repo'"},
		{"unexpected", `{"repo":"/src","force":true}`, toolserver.Invalid, "force"},
		{"in other letters", `{"Repo":"/src"}`, toolserver.Invalid, "repo"},
		{"wrong type", `{"repo":7}`, toolserver.Invalid, "/repo: expected string"},
		{"null", `{"repo":null}`, toolserver.Invalid, "/repo"},
		{"a fraction", `{"repo":"/src","count":1.5}`, toolserver.Invalid, "/count"},
		{"too large", `{"repo":"/src","count":99999999999999999999}`, toolserver.Invalid, "count"},
		{"an exponent", `{"repo":"/src","count":1e2}`, toolserver.Invalid, "count"},
		{"not JSON", `{"repo":`, toolserver.Invalid, "not JSON"},
		{"two values", `{"repo":"/src"} {}`, toolserver.Invalid, "more than one"},
		{"a list", `["/src"]`, toolserver.Invalid, "object"},
		{"null in whole", `null`, toolserver.Invalid, "object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, toolserver.Options{Confirm: yes})
			res := d.call(t, "wipe", tt.args)
			if res.Outcome != tt.want || !strings.Contains(res.Text, tt.words) {
				t.Errorf("%s: %s", res.Outcome, res.Text)
			}
			runs := int32(0)
			if tt.want == toolserver.OK {
				runs = 1
			} else if res.Failure.Class != toolserver.InvalidArgs || res.Failure.Context.Outcome != "not_run" {
				t.Errorf("the failure is %+v", res.Failure)
			}
			if d.ran.Load() != runs || d.asked.Load() != runs {
				t.Errorf("it asked %d times and ran %d times", d.asked.Load(), d.ran.Load())
			}
			if rows := d.rows(t, toolserver.Filter{Outcome: tt.want}); len(rows) != 1 {
				t.Errorf("audited: %+v", rows)
			}
		})
	}
}

// TestTwice asks that what is validated is what runs: of two members of one name neither
// half is smuggled past the schema.
func TestTwice(t *testing.T) {
	s, err := toolserver.New("desk", toolserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	type box struct {
		Inner struct {
			A int `json:"a,omitempty"`
			B int `json:"b,omitempty"`
		} `json:"inner"`
	}
	if err := toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "box"}, func(_ context.Context, in box) (box, error) { return in, nil }); err != nil {
		t.Fatal(err)
	}
	res := s.Call(t.Context(), toolserver.Call{Tool: "box", Arguments: json.RawMessage(`{"inner":{"a":1},"inner":{"b":2}}`)})
	if res.Text != `{"inner":{"b":2}}` {
		t.Errorf("%+v", res)
	}
}

// TestTimeout asks that a tool which overruns has its context ended, is answered at once,
// is audited as a timeout, and that what it returns later is dropped.
func TestTimeout(t *testing.T) {
	d := newDesk(t, toolserver.Options{})
	release, over := make(chan struct{}), make(chan error, 1)
	err := errors.Join(
		toolserver.Add(d.Server, toolserver.ReadOnly, toolserver.Tool{Name: "stubborn", Timeout: time.Millisecond}, func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			<-release // it does not care
			over <- context.Cause(ctx)
			return "late", nil
		}),
		toolserver.Add(d.Server, toolserver.ReadOnly, toolserver.Tool{Name: "obedient", Timeout: time.Millisecond}, func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}),
		toolserver.Add(d.Server, toolserver.Write, toolserver.Tool{Name: "endless", Timeout: -1}, func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"stubborn", "obedient"} {
		res := d.call(t, tool, `{}`)
		if res.Outcome != toolserver.Timeout || res.Failure.Class != toolserver.TimedOut || res.Failure.Context.Outcome != "unknown" || !res.Failure.Retryable {
			t.Errorf("%s: %+v %+v", tool, res, res.Failure)
		}
	}
	close(release)
	if cause := <-over; cause == nil {
		t.Error("its context did not end")
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if res := d.Call(ctx, toolserver.Call{Tool: "endless"}); res.Outcome != toolserver.Failed || !strings.Contains(res.Text, "cancelled") || res.Failure.Retryable {
		t.Errorf("cancelled by its caller: %+v %+v", res, res.Failure)
	}
	rows := d.rows(t, toolserver.Filter{})
	if len(rows) != 3 || rows[0].Outcome != toolserver.Timeout || rows[1].Outcome != toolserver.Timeout || rows[2].Outcome != toolserver.Failed {
		t.Errorf("audited: %+v", rows)
	}
}

// TestErrors asks for the class of each error that a tool may return.
func TestErrors(t *testing.T) {
	tests := []struct {
		name  string
		err   error
		class toolserver.Class
		want  toolserver.Outcome
	}{
		{"any", errors.New("no"), toolserver.Transient, toolserver.Failed},
		{"with a class", toolserver.Errorf(toolserver.Conflict, "it is %s", "locked"), toolserver.Conflict, toolserver.Failed},
		{"no file", openError(t), toolserver.NotFound, toolserver.Failed},
		{"its own deadline", context.DeadlineExceeded, toolserver.TimedOut, toolserver.Timeout},
		{"to be called later", toolserver.RetryAfter(toolserver.Errorf(toolserver.RateLimit, "busy"), 3*time.Second), toolserver.RateLimit, toolserver.Failed},
	}
	for _, tt := range tests {
		d := newDesk(t, toolserver.Options{})
		if err := toolserver.Add(d.Server, toolserver.ReadOnly, toolserver.Tool{Name: "fails"}, func(context.Context, struct{}) (int, error) { return 0, tt.err }); err != nil {
			t.Fatal(err)
		}
		res := d.call(t, "fails", `{}`)
		if res.Failure == nil || res.Failure.Class != tt.class || res.Outcome != tt.want || res.Text != tt.err.Error() {
			t.Errorf("%s: %+v", tt.name, res.Failure)
		}
		if tt.class == toolserver.RateLimit && res.Failure.SuggestedBackoff != 3*time.Second {
			t.Errorf("%s: wait %s", tt.name, res.Failure.SuggestedBackoff)
		}
		if rows := d.rows(t, toolserver.Filter{}); len(rows) != 1 || rows[0].Detail != tt.err.Error() {
			t.Errorf("%s is audited as %+v", tt.name, rows)
		}
	}
}

func openError(t *testing.T) error {
	t.Helper()
	_, err := os.Open(filepath.Join(t.TempDir(), "none"))
	return err
}

// TestAuditAPI is what a user of the predecessor's audit log does.
func TestAuditAPI(t *testing.T) {
	d := newDesk(t, toolserver.Options{})
	d.call(t, "wipe", `{"repo":"/src","nested":{"config":{"password":"canary-1"},"list":[{"api_key":"canary-2"}]}}`)
	d.call(t, "status", `{"repo":"/src"}`)
	denied := d.rows(t, toolserver.Filter{Outcome: toolserver.Denied})
	if len(denied) != 1 || denied[0].Tool != "wipe" || strings.Contains(string(denied[0].Arguments), "canary") || !strings.Contains(string(denied[0].Arguments), `"repo":"/src"`) {
		t.Errorf("denied: %+v", denied)
	}
	if n, err := d.Audit().Prune(t.Context(), toolserver.Bounds{KeepLast: 1}); n != 1 || err != nil {
		t.Errorf("pruned %d: %v", n, err)
	}
	if n, err := d.Audit().Prune(t.Context(), toolserver.Bounds{OlderThan: time.Now().AddDate(0, 0, -30)}); n != 0 || err != nil {
		t.Errorf("pruned %d: %v", n, err)
	}
	if v, err := d.Audit().Verify(t.Context()); err != nil || !v.Sound() || v.Rows != 1 {
		t.Errorf("%+v %v", v, err)
	}
}
