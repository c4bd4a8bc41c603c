package mcptools_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/internal/wire"
)

// lines is a log that a test waits for.
type lines struct {
	mu  sync.Mutex
	all string
	got chan struct{}
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all += string(b)
	select {
	case l.got <- struct{}{}:
	default:
	}
	return len(b), nil
}

// A schema that cannot be used is told of in the log, without a call that wants it, and once.
func TestSchemasAreCheckedBeforehand(t *testing.T) {
	log := &lines{got: make(chan struct{}, 100)}
	s := &script{tools: map[string]tool{"get_x": says(`"inputSchema":{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}`, "x"), "get_y": says(reads, "y")}}
	b := start(t, setting{options: func(o *mcptools.Options) { o.Log = slog.New(slog.NewTextHandler(log, nil)) }}, at(t, s))
	if got := b.post(t, body(call{name: "get_y", args: `{}`})); got.status != 200 {
		t.Fatalf("answered %d %s", got.status, got.body)
	}
	<-log.got
	b.close()
	if n := strings.Count(log.all, "nothing is checked by its inputSchema"); n != 1 || !strings.Contains(log.all, `get_x`) {
		t.Errorf("it is told %d times: %s", n, log.all)
	}
}

// What is checked is what is sent: the server's cursor in the place of ours, and integers
// written as such.
func TestIntegersGoOutAsSuch(t *testing.T) {
	const declared = `"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"f":{"type":"number"},"page":{"type":"integer","maximum":9},"deep":{"type":"array","items":{"type":"integer"}}},"additionalProperties":false}`
	s := &script{tools: map[string]tool{"list_x": gives(declared, `{"structuredContent":{"items":[1],"next_page":2},"content":[]}`)}}
	b := start(t, setting{}, at(t, s))
	got := b.post(t, body(call{name: "list_x", args: `{"n":5.0,"f":5.0,"deep":[1e2,12345678901234567890.0]}`}))
	cursor, _ := wire.Text(wire.Path(json.RawMessage(got.result(0)), "pagination", "cursor"))
	if got.status != 200 || cursor == "" {
		t.Fatalf("answered %d %s", got.status, got.body)
	}
	next := b.post(t, body(call{name: "list_x", args: `{"n":5.0,"f":5.0,"deep":[1e2,12345678901234567890.0],"page":"` + cursor + `"}`}))
	if next.status != 200 || len(s.calls) != 2 {
		t.Fatalf("answered %d %s", next.status, next.body)
	}
	for i, want := range []string{`{"n":5,"f":5.0,"deep":[100,12345678901234567890]}`, `{"n":5,"f":5.0,"deep":[100,12345678901234567890],"page":2}`} {
		if sent := string(wire.Get([]byte(s.calls[i]), "arguments")); sent != want {
			t.Errorf("sent %s, not %s", sent, want)
		}
	}
}
