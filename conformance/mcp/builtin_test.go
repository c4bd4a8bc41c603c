package mcp

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// builtin reaches the built-in server.
func builtin(t *testing.T, w way) *Target {
	t.Helper()
	server := mcppeer.New(mcppeer.Options{})
	c := Config{Transport: w.transport, Name: "built-in", Revision: w.revision, Now: time.Now}
	switch w.transport {
	case "http":
		listener := httptest.NewServer(server.Handler())
		t.Cleanup(listener.Close)
		c.Dial = func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
			return mcphttp.Dial(ctx, listener.URL, transport.Options{Tap: tap})
		}
	default:
		c.Dial = func(_ context.Context, tap wire.Tap) (transport.Conn, error) {
			return stdio.DialPipe(context.Background(), server.ServeStdio, transport.Options{Tap: tap}), nil
		}
	}
	target := NewTarget(c)
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

// The built-in server passes every case that applies to it.
func TestBuiltinServerPasses(t *testing.T) {
	for _, w := range everyWay(mcp.Revisions()...) {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			target := builtin(t, w)
			survey, err := target.Survey(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range Cases() {
				out := attempt(t, target, survey, c)
				switch {
				case out.Status == reporters.Passed, out.Status == reporters.NotApplicable:
				case out.Status == reporters.NotVerified && !c.Core:
					t.Logf("%s is not verified: %s", c.ID, out.Unverified)
				default:
					t.Errorf("%s is %s: expected %q, actual %q, unverified %q, broken %q",
						c.ID, out.Status, out.Expected, out.Actual, out.Unverified, out.Broken)
				}
			}
		})
	}
}
