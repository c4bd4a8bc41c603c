package replay_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/reporters"
)

// TestAReplayMakesAReport runs a pack the way the command does.
func TestAReplayMakesAReport(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	const name = "mcp-2025-11-25-stdio"
	f, err := fixtures.Read(filepath.Join(packs, name+fixtures.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	target := packTarget(t, name, f)
	peer, err := harness.Run(ctx, target, conformance.Suite{Cases: target.Cases()}, harness.Options{
		Now: time.Now, Redactor: redact.New(make([]byte, 16)),
	})
	if err != nil {
		t.Fatal(err)
	}
	report := reporters.Complete(reporters.Report{
		Tool:      reporters.Tool{Name: "peerwright", Version: "test", Suite: "sha256:" + strings.Repeat("0", 64)},
		StartedAt: time.Now(), Peers: []reporters.Peer{peer}, Reproduce: "peerwright replay",
	})
	var document bytes.Buffer
	if err := reporters.Write(&document, report); err != nil {
		t.Fatal(err)
	}
	if err := reporters.Validate(document.Bytes()); err != nil {
		t.Error(err)
	}
	if report.Verdict != reporters.Conformant || report.Summary.Passed < 10 || report.Summary.Failed+report.Summary.Errored > 0 {
		t.Errorf("verdict %s, %+v", report.Verdict, report.Summary)
	}
	for i, c := range report.Peers[0].Cases {
		if c.Rule.URL == "" || c.Title == "" || c.Area == "" {
			t.Errorf("case %d: %+v", i, c)
		}
	}
	if len(peer.Calls) == 0 {
		t.Error("no call is in the books")
	}
}
