package live_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/conformance/peers/live"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// spoken is what live agents are told and say back: what a transport may spoil.
const spoken = "hello **there** `x`\r\n\n👩‍👩‍👧‍👦 \"quoted\" \\ </b> \u2028 and spaces  "

// TestLiveAgents talks through the bridge to agents on the SDKs, at each interface of
// their cards: an answer as a whole and streamed, which are what the agent says when it
// is asked without a bridge, and a task of two turns.
func TestLiveAgents(t *testing.T) {
	needLive(t)
	store := "sqlite://" + filepath.Join(t.TempDir(), "bridge.db")
	args := []string{"--store", store}
	interfaces := map[string]a2ahttp.Interface{}
	for _, p := range live.Peers(root(t)) {
		if p.Protocol != "a2a" {
			continue
		}
		if ok, why := p.Available(); !ok {
			t.Run(p.Name, func(t *testing.T) { t.Skip(why) })
			continue
		}
		for model, i := range alone(t, p) {
			args = append(args, "--a2a", model+"="+card(t, i).URL)
			interfaces[model] = i.Interface
		}
	}
	b := bridge(t, nil, args...)
	t.Run("interfaces", func(t *testing.T) {
		for model, i := range interfaces {
			t.Run(model, func(t *testing.T) {
				t.Parallel()
				talk(t, b.url, model, i)
			})
		}
	})
	recordedTurns(t, store, interfaces)
}

// published is an interface of a card.
type published struct {
	a2ahttp.Interface

	card []byte
}

// alone starts the agent and returns each of its interfaces, by the name of a model.
func alone(t *testing.T, p live.Peer) map[string]published {
	t.Helper()
	at, stop, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	found, err := a2ahttp.Discover(t.Context(), at.URL, a2ahttp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]published{}
	for _, i := range found.Card.Interfaces {
		all[fmt.Sprintf("%s %s %s", p.Name, i.Version, i.Binding)] = published{i, found.Card.Raw}
	}
	return all
}

// card serves the card of an agent, with one of its interfaces alone.
func card(t *testing.T, i published) *httptest.Server {
	t.Helper()
	var c object
	if err := json.Unmarshal(i.card, &c); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"supportedInterfaces", "additionalInterfaces", "url", "preferredTransport", "protocolVersion"} {
		delete(c, name)
	}
	if i.Version == a2ahttp.V10 {
		c["supportedInterfaces"] = []object{{"url": i.URL, "protocolBinding": i.Binding, "protocolVersion": i.Version}}
	} else {
		c["url"], c["preferredTransport"], c["protocolVersion"] = i.URL, i.Binding, i.Version+".0"
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != a2ahttp.WellKnown {
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(c)
	}))
	t.Cleanup(s.Close)
	return s
}

func talk(t *testing.T, url, model string, i a2ahttp.Interface) {
	for _, text := range []string{spoken, "message " + spoken} {
		want := direct(t, i, text)
		if !strings.Contains(want, text) {
			t.Fatalf("asked without a bridge, the agent says %q", want)
		}
		for _, stream := range []bool{false, true} {
			got := mustChat(t, url, said(model, text, stream), "X-Conversation-Id", "whole "+model)
			if got.text != want || got.finish != "stop" || got.done != stream {
				t.Errorf("streamed %v: %q, want %q: %s", stream, got.text, want, got.raw)
			}
		}
	}
	first := mustChat(t, url, said(model, "input please", true), "X-Conversation-Id", "two turns "+model)
	second := mustChat(t, url, said(model, "hello again", true), "X-Conversation-Id", "two turns "+model)
	if first.finish != "stop" || !strings.Contains(second.text, "hello again") {
		t.Errorf("two turns: %s\n%s", first.raw, second.raw)
	}
}

// direct asks an interface without a bridge, by a stream, and returns the text of it.
func direct(t *testing.T, i a2ahttp.Interface, text string) string {
	t.Helper()
	client, err := a2ahttp.New(i, a2ahttp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	stream, err := client.Stream(t.Context(), a2ahttp.SendStreamingMessage, json.RawMessage(marshalled(object{"message": message(i, text)})))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var all strings.Builder
	for {
		event, err := stream.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		var payload any
		if err := json.Unmarshal(event.Payload, &payload); err != nil {
			t.Fatal(err)
		}
		all.WriteString(words(payload))
	}
}

// message is a message in the shape of the interface.
func message(i a2ahttp.Interface, text string) object {
	m := object{"messageId": "m " + text, "role": "ROLE_USER", "parts": []object{{"text": text}}}
	switch {
	case i.Version == a2ahttp.V10:
	case i.Binding == a2ahttp.HTTPJSON:
		delete(m, "parts")
		m["content"] = []object{{"text": text}}
	default:
		m["kind"], m["role"], m["parts"] = "message", "user", texts(text)
	}
	return m
}

// words is the text of all parts in an event, but for those of the history and the status.
func words(v any) string {
	var b strings.Builder
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			b.WriteString(words(one))
		}
	case object:
		text, _ := v["text"].(string)
		b.WriteString(text)
		for name, value := range v {
			if name != "history" && name != "status" && name != "metadata" {
				b.WriteString(words(value))
			}
		}
	}
	return b.String()
}

// recordedTurns holds that the two turns are in the record, of one context and one task.
func recordedTurns(t *testing.T, store string, interfaces map[string]a2ahttp.Interface) {
	out, err := program(t, nil, "bridge", "turns", "--json", "--store", store).Output()
	if err != nil {
		t.Fatal(err)
	}
	type turn struct {
		Agent, Conversation, State string
		Context                    string `json:"context_id"`
		Task                       string `json:"task_id"`
	}
	var turns []turn
	if err := json.Unmarshal(out, &turns); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for model := range interfaces {
		var two []turn
		for _, one := range turns {
			if one.Agent == model && one.Conversation == "two turns "+model {
				two = append(two, one)
			}
		}
		if len(two) != 2 || two[0].Context != two[1].Context || two[0].Context == "" || two[0].Task == "" || two[0].Task != two[1].Task ||
			two[0].State != "input-required" || two[1].State != "completed" {
			t.Errorf("%s: recorded are %+v", model, two)
		}
	}
}
