package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// aCall is how long the tool of a sleeper takes.
const aCall = 800 * time.Millisecond

// sleeper is a server with one tool that takes its time.
type sleeper struct {
	// cancelled gives what answers a call whose cancellation has just come; "" when
	// nothing does.
	cancelled string
	// unheard tells that cancellations change nothing.
	unheard bool
}

func (s sleeper) serve(_ context.Context, r io.Reader, w io.Writer) error {
	var mu sync.Mutex
	say := func(id wire.ID, result string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = w.Write(append(wire.Result(id, []byte(result)), '\n')) // a client that is gone needs no answer
	}
	calls := map[string]*time.Timer{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		m := wire.Parse(lines.Bytes())
		switch m.Method {
		case "initialize":
			say(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sleeper","version":"1"}}`)
		case "tools/list":
			say(m.ID, `{"tools":[{"name":"sleep","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`)
		case "tools/call":
			calls[m.ID.String()] = time.AfterFunc(aCall, func() { say(m.ID, `{"content":[]}`) })
		case "ping":
			say(m.ID, `{}`)
		case "notifications/cancelled":
			id := wire.RawID(wire.Get(m.Params, "requestId"))
			if call := calls[id.String()]; call != nil && !s.unheard && call.Stop() && s.cancelled != "" {
				say(id, s.cancelled)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	return nil
}

func TestCancelledCalls(t *testing.T) {
	for name, row := range map[string]struct {
		server sleeper
		want   reporters.Status
		says   string
	}{
		"given up":             {sleeper{}, reporters.Passed, ""},
		"unheard":              {sleeper{unheard: true}, reporters.Warned, "content"},
		"answered as a result": {sleeper{cancelled: `{"content":[]}`}, reporters.NotVerified, "crossed"},
		"answered as a failure": {
			sleeper{cancelled: `{"content":[{"type":"text","text":"cancelled"}],"isError":true}`}, reporters.Warned, "isError",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := piped(t, row.server.serve)
			survey, err := target.Survey(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			out := attempt(t, target, survey, cancelledStaysSilent())
			if out.Status != row.want || !contains(out, row.says) {
				t.Errorf("%s: %+v, want %s that says %q", out.Status, out.Finding, row.want, row.says)
			}
		})
	}
}
