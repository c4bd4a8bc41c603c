package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/internal/wire"
)

// Cancelled calls that the SDK has answered do not pile up, and those that it has not are
// kept for as long as it takes.
func TestCancelledCallsAreForgotten(t *testing.T) {
	var c calls
	cancel := func(id int) tag {
		t.Helper()
		m := wire.Parse(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, id))
		if _, flt := c.begin(m); flt != nil {
			t.Fatal(flt)
		}
		cancelled, ok := c.cancel([]byte(m.ID.String()))
		if !ok {
			t.Fatalf("%d cannot be cancelled", id)
		}
		return cancelled
	}
	open := cancel(0)
	last := open
	for id := range 3 * mostGone {
		last = cancel(id + 1)
		done := c.settled(last)
		c.settle(last)
		<-done
	}
	if len(c.dropped) != mostGone+1 || !c.isDropped(open) || !c.isDropped(last) {
		t.Errorf("%d are kept; the open one %t, the last %t", len(c.dropped), c.isDropped(open), c.isDropped(last))
	}
}

// A call that is cancelled over stdio comes to its end in either era.
func TestCancelledOverStdio(t *testing.T) {
	began := make(chan struct{})
	sdk := mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
	sdk.AddTool(&mcp.Tool{Name: "hang", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			began <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		})
	s := New(Config{Legacy: sdk, Modern: sdk, ToolsOnly: true})
	for era, c := range map[string]struct{ open, meta string }{
		"modern": {"", `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`},
		"legacy": {`{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, ""},
	} {
		said := make(chan string, 10)
		d := newDesk(t.Context(), s, s.stdio, func(raw []byte) { said <- string(raw) })
		if c.open != "" {
			d.take(wire.Parse([]byte(c.open)))
			<-said
			d.take(wire.Parse([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)))
		}
		d.take(wire.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang","arguments":{}` + c.meta + `}}`)))
		select {
		case <-began:
		case answer := <-said:
			t.Fatalf("%s: %s", era, answer)
		}
		running := d.calls.all()[0]
		d.take(wire.Parse([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)))
		select {
		case <-d.calls.settled(running):
		case <-time.After(10 * time.Second):
			t.Errorf("%s: the call is remembered for ever", era)
		}
		d.close()
	}
}
