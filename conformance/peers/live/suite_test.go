package live_test

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/conformance/peers/live"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

var update = flag.Bool("update", false, "rewrite the golden summaries")

const root = "../../.."

// TestSuiteOnLivePeers puts every live peer through the suite and compares what came
// of it with the golden summary in testdata. A difference is a change of the suite,
// of the peer, or a flake: look at it before -update. What stands there as failed is
// explained in docs/findings.md.
func TestSuiteOnLivePeers(t *testing.T) {
	if os.Getenv("PEERWRIGHT_LIVE") == "" {
		t.Skip("set PEERWRIGHT_LIVE=1 to check the live peers; make test does")
	}
	for _, p := range live.Peers(root) {
		t.Run(p.Name, func(t *testing.T) {
			if ok, why := p.Available(); !ok {
				t.Skip(why)
			}
			target, stop, err := p.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			compare(t, p.Name, summary(check(t, p, target)))
		})
	}
}

func check(t *testing.T, p live.Peer, at live.Target) reporters.Peer {
	t.Helper()
	o := harness.Options{Timeout: 20 * time.Second, Start: time.Minute, Now: time.Now, Redactor: redact.New([]byte("key"))}
	target, suite := server(p, at), mcp.Suite()
	if p.Protocol == conformance.A2A {
		target = a2a.NewTarget(a2a.Config{URL: at.URL, Now: time.Now})
		suite = a2a.Suite()
	}
	peer, err := harness.Run(t.Context(), target, suite, o)
	if err != nil && len(peer.Cases) == 0 {
		t.Fatal(err)
	}
	keep(t, p.Name, peer)
	return peer
}

// keep writes the whole report where PEERWRIGHT_REPORTS names a folder, to look into
// what a peer is accused of.
func keep(t *testing.T, name string, peer reporters.Peer) {
	t.Helper()
	dir := os.Getenv("PEERWRIGHT_REPORTS")
	if dir == "" {
		return
	}
	var b bytes.Buffer
	if err := reporters.Write(&b, reporters.Complete(reporters.Report{Peers: []reporters.Peer{peer}})); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func server(p live.Peer, at live.Target) conformance.Target {
	// A peer that takes long to start on a busy machine is not a legacy one for that.
	c := mcp.Config{Transport: "http", Name: p.Name, Now: time.Now, Probe: 30 * time.Second}
	c.Dial = func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
		return mcphttp.Dial(ctx, at.URL, transport.Options{Tap: tap})
	}
	if p.Transport == live.Stdio {
		c.Transport = "stdio"
		c.Dial = func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
			return stdio.Dial(ctx, stdio.Command{Args: at.Command, Env: at.Env}, transport.Options{Tap: tap})
		}
	}
	return mcp.NewTarget(c)
}

// summary says what came of each case, without what changes from run to run.
func summary(p reporters.Peer) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s %s over %s\n", p.Name, p.Version, p.Protocol, p.Revision, p.Transport)
	slices.SortFunc(p.Cases, func(a, b reporters.Case) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range p.Cases {
		fmt.Fprintf(&b, "%-15s %s\n", c.Status, c.ID)
	}
	return b.Bytes()
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("not as in %s (- golden, + now):\n%s", file, d)
	}
}
