package mcppeer

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// TestOldHTTP goes through a conversation over HTTP+SSE.
func TestOldHTTP(t *testing.T) {
	p := newProbe(t)
	base := strings.TrimSuffix(p.url, "/mcp")
	p.url = base + "/sse"
	ctx, hangUp := context.WithCancel(t.Context())
	resp := p.start(ctx, http.MethodGet, nil, "")
	stream := readEvents(resp)
	endpoint := base + string(next(t, stream).Raw)
	say := func(body string) int {
		q := &probe{t: t, url: endpoint}
		return q.post(nil, body).status
	}
	if status := say(strings.Replace(opening, "2025-11-25", rev2024, 1)); status != http.StatusAccepted {
		t.Fatalf("initialize: %d", status)
	}
	if m := next(t, stream); !strings.Contains(string(m.Result), rev2024) {
		t.Errorf("initialize: %s", m.Raw)
	}
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`)
	if m := next(t, stream); m.ID.String() != `"a"` || wire.Get(m.Result, "nextCursor") == nil {
		t.Errorf("tools/list: %s", m.Raw)
	}
	say(`{"jsonrpc":`)
	if m := next(t, stream); m.Error == nil || m.Error.Code != codeParse {
		t.Errorf("not JSON: %s", m.Raw)
	}
	hangUp()
	for range stream { // until the server lets go
	}
	_ = resp.Body.Close()
	p.url = base + "/sse/message?conversation=nobody"
	if r := p.post(nil, listTools); r.status != http.StatusNotFound {
		t.Errorf("unknown conversation: %d", r.status)
	}
	p.url = base + "/sse"
	if r := p.post(nil, opening); r.status != http.StatusMethodNotAllowed {
		t.Errorf("POST to the stream: %d", r.status)
	}
}
