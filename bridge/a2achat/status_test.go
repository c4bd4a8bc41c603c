package a2achat_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/redact"
)

func TestStatus(t *testing.T) {
	up, down := newScript(t, echo), newScript(t, echo)
	down.Close()
	b := newBridge(t, a2achat.Options{Agents: []a2achat.AgentConfig{
		{ID: "up", CardURL: up.URL}, {ID: "down", CardURL: down.URL}, {ID: "blocking", CardURL: up.URL, StreamMode: a2achat.Blocking},
	}}, openai.Options{})
	for _, s := range b.backend.Known() {
		if s.Reachable || s.Reason == "" {
			t.Errorf("before anybody asked: %+v", s)
		}
	}
	b.backend.Start(context.Background())
	got := b.backend.Known()
	if len(got) != 3 || got[0].ID != "blocking" || got[1].ID != "down" {
		t.Fatalf("%+v", got)
	}
	want := a2achat.Status{ID: "up", Name: "Helper", Version: "2.0", Binding: "JSONRPC", ProtocolVersion: "0.3", Streaming: true, Reachable: true}
	if got[2] != want {
		t.Errorf("got  %+v\nwant %+v", got[2], want)
	}
	if got[0].Streaming {
		t.Error("an agent that is called without a stream is said to stream")
	}
	if s := b.backend.Ready(context.Background())[1]; s.Reachable || s.Reason == "" {
		t.Errorf("%+v", s)
	}
	if s := b.backend.Ready(context.Background())[2]; s != want {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	up.Close() // its card is still at hand
	if s := b.backend.Ready(context.Background())[2]; s.Reachable || s.Reason == "" {
		t.Errorf("an agent that died is said to be there: %+v", s)
	}
	if !strings.Contains(b.log.String(), "agent=down") {
		t.Errorf("the log does not name the agent that is down:\n%s", b.log)
	}
}

func TestTurnsAreCounted(t *testing.T) {
	s := newScript(t, echo)
	o := helper(s.URL)
	o.Metrics = prometheus.NewRegistry()
	b := newBridge(t, o, openai.Options{})
	for range 3 {
		b.ask(t, user("hi"))
	}
	families, err := o.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			got[f.GetName()] += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	for name, want := range map[string]float64{
		"peerwright_bridge_agent_turns_total": 3, "peerwright_bridge_agent_turns_in_flight": 0, "peerwright_bridge_agent_turn_duration_seconds": 3,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
}

func TestTraceShowsBothSides(t *testing.T) {
	var out bytes.Buffer
	s := newScript(t, echo)
	b := newBridge(t, helper(s.URL), openai.Options{Trace: openai.NewTrace(&out, redact.New([]byte("0123456789abcdef")))})
	b.ask(t, user("hi there"))
	for _, want := range []string{"A2A Request(s)", `SendMessage({"parts":[{"text":"hi there"}]})`, `"state":"completed","parts":[{"text":"echo: hi there"}]`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the trace does not show %s:\n%s", want, out.String())
		}
	}
}
