package mcppeer

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// TestPriming asks for the event that lets a client resume, from 2025-11-25 on.
func TestPriming(t *testing.T) {
	for _, revision := range legacyRevisions() {
		p := newProbe(t).legacy(revision)
		for _, version := range []string{revision, ""} { // the session knows its revision, header or not
			r := p.post(map[string]string{"MCP-Protocol-Version": version}, listTools)
			primed := strings.Contains(r.body, "data: \n")
			if primed != (revision == rev2025c) {
				t.Errorf("%s, header %q: %q", revision, version, r.body)
			}
		}
	}
}

// TestResume asks that a stream which broke off goes on where it was, and that
// nothing of another stream comes with it.
func TestResume(t *testing.T) {
	p := newProbe(t).legacy(rev2025c)
	ctx, hangUp := context.WithCancel(t.Context())
	resp := p.start(ctx, http.MethodPost, nil, p.request(`"long"`, "tools/call", call("wait_for_quiet", `{"milliseconds":200}`, `{"progressToken":"p"}`)))
	first := next(t, readEvents(resp))
	hangUp()
	_ = resp.Body.Close()
	other := p.call("tools/call", call("count_books", `{"steps":3}`, `{"progressToken":"q"}`))
	streamID := streamOf(other.events[0])

	r := p.do(http.MethodGet, map[string]string{"Last-Event-ID": first.id}, "")
	if got := r.last(t); got.ID.String() != `"long"` || got.Kind != wire.KindResult {
		t.Errorf("resumed: %s", r.body)
	}
	if strings.Contains(r.body, streamID) || strings.Contains(r.body, `"q"`) {
		t.Errorf("another stream shows: %s", r.body)
	}
	seen := map[string]bool{}
	for _, id := range append(r.events, other.events...) {
		if seen[id] {
			t.Errorf("event id %s stands twice", id)
		}
		seen[id] = true
	}
}

// TestStandingStream asks of the stream that belongs to no request: what the
// session subscribed to comes on one stream only, and never twice.
func TestStandingStream(t *testing.T) {
	p := newProbe(t).legacy(rev2025c)
	ctx, hangUp := context.WithCancel(t.Context())
	resp := p.start(ctx, http.MethodGet, nil, "")
	second := p.start(t.Context(), http.MethodGet, nil, "")
	defer func() { _ = second.Body.Close() }()
	for _, r := range []*http.Response{resp, second} {
		if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
			t.Fatalf("GET: %d %s", r.StatusCode, r.Header.Get("Content-Type"))
		}
	}
	one, two := readEvents(resp), readEvents(second)
	p.call("resources/subscribe", `{"uri":"library://books/emma"}`)
	seen := map[string]bool{}
	for range updates {
		m := next(t, one)
		if m.Method != "notifications/resources/updated" || m.id == "" || seen[m.id] {
			t.Errorf("update: id %q %s", m.id, m.Raw)
		}
		seen[m.id] = true
	}
	hangUp()
	_ = resp.Body.Close()
	p.call("resources/subscribe", `{"uri":"library://books/kim"}`)
	if m := next(t, two); seen[m.id] || string(wire.Get(m.Params, "uri")) != `"library://books/kim"` {
		t.Errorf("on the second stream: id %q %s", m.id, m.Raw)
	}
	if r := p.call("resources/unsubscribe", `{"uri":"library://books/kim"}`); string(r.last(t).Result) != "{}" {
		t.Errorf("unsubscribe: %s", r.body)
	}
}

// TestLaterListener asks that what was said before the first GET is still there,
// and that a GET which is followed by another does not hear old things again.
func TestLaterListener(t *testing.T) {
	p := newProbe(t).legacy(rev2025b)
	p.call("tools/call", call("note_put", `{"name":"one","text":"a"}`, ""))
	for i := range 2 {
		ctx, hangUp := context.WithCancel(t.Context())
		resp := p.start(ctx, http.MethodGet, nil, "")
		p.call("tools/call", call("note_burn", `{"name":"one"}`, ""))
		if m := next(t, readEvents(resp)); m.Method != "notifications/resources/list_changed" || (i == 1 && strings.HasSuffix(m.id, "_0")) {
			t.Errorf("listener %d: id %q %s", i, m.id, m.Raw)
		}
		hangUp()
		_ = resp.Body.Close()
		p.call("tools/call", call("note_put", `{"name":"one","text":"b"}`, ""))
	}
}
