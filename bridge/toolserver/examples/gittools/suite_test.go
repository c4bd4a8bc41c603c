package main

import (
	"net/http/httptest"
	"testing"

	"github.com/peerwright/peerwright/bridge/toolserver"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/reporters"
)

// conformant puts the example through the suite, as `peerwright report` does.
func conformant(t *testing.T, s *toolserver.Server) {
	t.Helper()
	h, err := s.Handler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	defer srv.CloseClientConnections()
	config, err := mcp.AtURL(srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	peer, err := harness.Run(t.Context(), mcp.NewTarget(config), mcp.Suite(), harness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	peer = reporters.Complete(reporters.Report{Peers: []reporters.Peer{peer}}).Peers[0]
	if peer.Verdict != reporters.Conformant || peer.Summary.Failed+peer.Summary.Warned+peer.Summary.Errored > 0 || peer.Summary.Passed == 0 {
		t.Errorf("%s: %+v", peer.Verdict, peer.Summary)
	}
}
