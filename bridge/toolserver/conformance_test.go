package toolserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/toolserver"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/reporters"
)

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// judge puts a server through the suite, and asks that it is conformant with nothing
// failed or warned. It runs alone: the harness takes one peer at a time.
func judge(t *testing.T, config mcp.Config, err error, revision string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	config.Revision = revision
	peer, err := harness.Run(t.Context(), mcp.NewTarget(config), mcp.Suite(), harness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report := reporters.Report{Peers: []reporters.Peer{peer}}
	report = reporters.Complete(report)
	peer = report.Peers[0]
	for _, c := range peer.Cases {
		if c.Status == reporters.Failed || c.Status == reporters.Warned || c.Status == reporters.Errored {
			t.Errorf("%s %s: expected %s; got %s %s", c.Status, c.ID, c.Expected, c.Actual, c.Reason)
		}
	}
	if peer.Verdict != reporters.Conformant || peer.Revision != revision || peer.Summary.Passed < 20 {
		t.Errorf("%s on %s: %+v", peer.Verdict, peer.Revision, peer.Summary)
	}
}

// listening serves the library's Handler on a loopback port and returns its address.
func listening(t *testing.T, s *toolserver.Server) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	h, err := s.Handler(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { stop(); srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// TestConformant checks the server as `peerwright report` does, on every transport and
// in every revision.
func TestConformant(t *testing.T) {
	url := listening(t, newLibrary(t, toolserver.Options{PageSize: 3}))
	t.Setenv("TOOLSERVER_STDIO", "1")
	for _, revision := range revisions {
		t.Run("http/"+revision, func(t *testing.T) {
			config, err := mcp.AtURL(url+"/mcp", nil)
			judge(t, config, err, revision)
		})
		t.Run("websocket/"+revision, func(t *testing.T) {
			config, err := mcp.AtURL(strings.Replace(url, "http", "ws", 1)+"/mcp", nil)
			judge(t, config, err, revision)
		})
		t.Run("stdio/"+revision, func(t *testing.T) {
			config, err := mcp.AtCommand(os.Args[0])
			judge(t, config, err, revision)
		})
	}
	t.Run("sse/2024-11-05", func(t *testing.T) {
		config, err := mcp.AtURL(url+"/sse", nil)
		judge(t, config, err, "2024-11-05")
	})
}
