package replay_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/reporters"
)

var update = flag.Bool("update", false, "record the packs anew")

const packs = "../../fixtures/packs"

// recordPacks are the fixtures of the built-in peers, and how each is recorded.
func recordPacks(ctx context.Context) map[string]func(t *testing.T, path string) {
	return map[string]func(t *testing.T, path string){
		"mcp-2025-11-25-stdio": func(t *testing.T, path string) { recordMCPStdio(ctx, t, path, mcp.Rev2511) },
		"mcp-2026-07-28-http":  func(t *testing.T, path string) { recordMCPHTTP(ctx, t, path, mcp.Rev2607) },
		"a2a-1.0-jsonrpc":      func(t *testing.T, path string) { recordA2A(ctx, t, path, dialects["1.0 over JSON-RPC"]) },
		"a2a-0.3-jsonrpc":      func(t *testing.T, path string) { recordA2A(ctx, t, path, dialects["0.3 over JSON-RPC"]) },
	}
}

// TestThePacksStillReplay plays the recorded packs against the peers of today.
func TestThePacksStillReplay(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for name, record := range recordPacks(ctx) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(packs, name+fixtures.Suffix)
			if *update {
				record(t, path)
				if err := os.Chmod(path, 0o644); err != nil { // a pack is for everyone to read
					t.Fatal(err)
				}
			}
			f, err := fixtures.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if found := fixtures.Lint(f, redact.New(make([]byte, 16))); len(found) > 0 || f.Truncated {
				t.Errorf("truncated %v, secrets %v", f.Truncated, found)
			}
			nothingFails(t, run(t, packTarget(t, name, f)), 7)
		})
	}
}

func packTarget(t *testing.T, name string, f fixtures.Fixture) *replay.Target {
	t.Helper()
	script := load(t, name, f, replay.Options{})
	var target *replay.Target
	var err error
	if script.Protocol() == fixtures.A2A {
		target, err = replay.A2A(script, replay.A2AConfig{URL: serveA2A(t), Now: time.Now})
	} else {
		target, err = replay.MCP(script, replay.MCPConfig{Dial: dialStdio, Transport: "stdio", Name: "built-in", Now: time.Now})
	}
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// TestAPackNoticesAChange plays a pack against a server that lost a tool.
func TestAPackNoticesAChange(t *testing.T) {
	f, err := fixtures.Read(filepath.Join(packs, "mcp-2025-11-25-stdio"+fixtures.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	s := faithful()
	target, err := replay.MCP(load(t, "pack", f, replay.Options{}), s.config())
	if err != nil {
		t.Fatal(err)
	}
	counts := map[reporters.Status]int{}
	for _, r := range run(t, target) {
		counts[r.status]++
	}
	if counts[reporters.Failed] == 0 || counts[reporters.NotApplicable] == 0 {
		t.Errorf("against another server: %v, want some failed and some not applicable", counts)
	}
}
