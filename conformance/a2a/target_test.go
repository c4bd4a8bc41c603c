package a2a

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

var rpc10 = dialect{a2ahttp.V10, a2ahttp.JSONRPC}

func survey(t *testing.T, c Config) (conformance.Survey, *Target, error) {
	t.Helper()
	c.Now = time.Now
	target := NewTarget(c)
	t.Cleanup(func() { _ = target.Close(t.Context()) })
	s, err := target.Survey(t.Context())
	return s, target, err
}

func TestSurvey(t *testing.T) {
	url := start(t, &agent{dialect: rpc10, streaming: true})
	s, target, err := survey(t, Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	if s.Protocol != "a2a" || s.Transport != "jsonrpc" || s.Target != url || s.Name != "Scripted" || s.Version != "1" || s.Revision != "1.0" {
		t.Errorf("found %+v", s)
	}
	for f, want := range map[conformance.Feature]bool{
		JSONRPC: true, HTTPJSON: false, Skills: true, Streaming: true, NoStreaming: false,
		Push: false, NoPush: true, ExtendedCard: false, NoExtendedCard: true, ListTasks: true,
	} {
		if _, has := s.Features[f]; has != want {
			t.Errorf("%s: %v, want %v", f, has, want)
		}
	}
	if calls := target.Calls(); len(calls) != 0 {
		t.Errorf("the survey sent %v", calls)
	}
}

func TestSurveyFails(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if _, _, err := survey(t, Config{URL: gone.URL}); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("nothing there: %v", err)
	}
	bare := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(bare.Close)
	var noCard *a2ahttp.NoCardError
	if _, _, err := survey(t, Config{URL: bare.URL}); !errors.As(err, &noCard) || errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("no agent there: %v", err)
	}
	url := start(t, &agent{dialect: rpc10})
	if _, _, err := survey(t, Config{URL: url, Revision: "0.3"}); !errors.Is(err, a2ahttp.ErrNoInterface) {
		t.Errorf("another revision: %v", err)
	}
	if _, err := NewTarget(Config{URL: url, Now: time.Now}).Open(t.Context(), false); err == nil {
		t.Error("a session was opened before the survey")
	}
}

// Messages may cost the agent: a whole run makes few tasks, and says of each why.
func TestFewMessages(t *testing.T) {
	a := &agent{dialect: rpc10, streaming: true, push: true, extended: true}
	_, target := examine(t, Config{URL: start(t, a)})
	if len(a.tasks) > 4 {
		t.Errorf("%d tasks were made", len(a.tasks))
	}
	sent := 0
	for _, c := range target.Calls() {
		if c.Why == "" || c.Count < 1 {
			t.Errorf("%+v", c)
		}
		if c.Tool == string(a2ahttp.SendMessage) || c.Tool == string(a2ahttp.SendStreamingMessage) {
			sent += c.Count
		}
	}
	if sent != len(a.tasks)+4 { // four that have to be refused
		t.Errorf("%d messages stand in the books: %v", sent, target.Calls())
	}
}

// An agent that wants credentials breaks no rule by that.
func TestCredentialsAreNoViolation(t *testing.T) {
	for _, d := range []dialect{rpc10, {a2ahttp.V10, a2ahttp.HTTPJSON}} {
		guarded := &agent{dialect: d, streaming: true}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != a2ahttp.WellKnown {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			guarded.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		guarded.url, guarded.cardPath = server.URL, a2ahttp.WellKnown
		got, target := examine(t, Config{URL: server.URL})
		for id, out := range got {
			if out.Status == reporters.Failed || out.Status == reporters.Warned || out.Status == reporters.Errored {
				t.Errorf("%s is %s: %+v", id, out.Status, out.Finding)
			}
		}
		if len(target.Calls()) == 0 {
			t.Error("nothing was tried")
		}
	}
}

// A card may name an interface that nothing listens at: then the cases cannot judge,
// and only the one about interfaces accuses.
func TestUnreachableIsErrored(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	a := &agent{dialect: rpc10, card: func(card object) {
		card["supportedInterfaces"] = []any{object{"url": gone.URL, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}}
	}}
	got, _ := examine(t, Config{URL: start(t, a)})
	if out := got["a2a.errors.unknown-task"]; out.Status != reporters.Errored || !strings.Contains(out.Broken, "could not be reached") {
		t.Errorf("%s: %+v", out.Status, out.Finding)
	}
	for id, out := range got {
		if (out.Status == reporters.Failed || out.Status == reporters.Warned) && id != "a2a.discovery.interfaces" {
			t.Errorf("%s is %s: %+v", id, out.Status, out.Finding)
		}
	}
	if out := got["a2a.discovery.interfaces"]; out.Status != reporters.Failed {
		t.Errorf("%s: %+v", out.Status, out.Finding)
	}
}

// What a case judges by is among its frames, also when it travelled for another.
func TestFramesOfFacts(t *testing.T) {
	_, target, err := survey(t, Config{URL: start(t, &agent{dialect: rpc10})})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p, err := target.Open(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		s := p.(*Session)
		s.first(t.Context())
		var seen []int
		sends := 0
		for _, f := range p.Frames() {
			seen = append(seen, f.Seq)
			if f.Kind == wire.FrameBody && f.Dir == wire.Out && wire.Parse(f.Data).Method == "SendMessage" {
				sends++
			}
		}
		if sends != 1 || !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != len(seen) {
			t.Errorf("%d sends among the frames %v", sends, seen)
		}
	}
}

func TestTracesTellHostileOnesApart(t *testing.T) {
	_, target := examine(t, Config{URL: start(t, &agent{dialect: rpc10})})
	shared := 0
	for _, trace := range target.Traces() {
		if !trace.Hostile {
			shared++
		}
		for _, f := range trace.Frames {
			broken := f.Kind == wire.FrameBody && f.Dir == wire.Out && !json.Valid(f.Data)
			if broken && !trace.Hostile {
				t.Errorf("the shared conversation holds %s", f.Data)
			}
		}
	}
	if shared != 1 {
		t.Errorf("%d conversations count as sound", shared)
	}
}
