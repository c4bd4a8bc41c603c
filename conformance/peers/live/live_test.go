package live

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`

// TestPeers starts each peer that is installed and asks it one thing.
func TestPeers(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Peers(root) {
		t.Run(p.Name, func(t *testing.T) {
			if p.handler == nil && os.Getenv("PEERWRIGHT_LIVE") == "" {
				t.Skip("peers of other processes are started only with PEERWRIGHT_LIVE=1")
			}
			if ok, why := p.Available(); !ok {
				t.Skip(why)
			}
			target, stop, err := p.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			answer := ask1(t, p, target)
			if p.Protocol == "a2a" && !strings.Contains(answer, `"skills"`) || p.Protocol == "mcp" && !strings.Contains(answer, `"protocolVersion"`) {
				t.Errorf("it answered: %s", answer)
			}
			stop()
			stop()
			if target.URL != "" {
				if resp, err := http.Get(target.URL); err == nil {
					_ = resp.Body.Close()
					t.Error("it answers after it was stopped")
				}
			}
		})
	}
}

// ask1 asks an MCP server for its version, and an agent for its card.
func ask1(t *testing.T, p Peer, target Target) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	switch {
	case target.Command != nil:
		cmd := exec.CommandContext(ctx, target.Command[0], target.Command[1:]...)
		cmd.Env = target.Env
		return converse(t, cmd)
	case p.Protocol == "a2a":
		return fetch(ctx, t, http.MethodGet, target.URL+"/.well-known/agent-card.json", "")
	case strings.HasSuffix(p.Name, "stateless"):
		return fetch(ctx, t, http.MethodPost, target.URL, strings.Replace(initialize, "2025-06-18", "2025-11-25", 1))
	}
	return fetch(ctx, t, http.MethodPost, target.URL, initialize)
}

func fetch(ctx context.Context, t *testing.T, method, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// converse writes one line to a command and reads the first that it answers.
func converse(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.WaitDelay = grace
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintln(in, initialize)
	buf := make([]byte, 64<<10)
	n, _ := out.Read(buf)
	_ = in.Close()
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(grace):
		_ = cmd.Process.Kill()
		<-done
	}
	return string(buf[:n])
}

// TestUnavailable asks that what is not installed is told in words.
func TestUnavailable(t *testing.T) {
	for _, p := range Peers(t.TempDir()) {
		ok, why := p.Available()
		if p.handler != nil {
			if !ok {
				t.Errorf("%s: %s", p.Name, why)
			}
			continue
		}
		if _, _, err := p.Start(t.Context()); ok || err == nil || !strings.Contains(err.Error(), "install-peers.sh") {
			t.Errorf("%s: %v, %v", p.Name, ok, err)
		}
	}
}

// TestEarlyEnd asks that a process which ends before it listens is told of with its
// last words.
func TestEarlyEnd(t *testing.T) {
	for _, free := range []bool{false, true} {
		p := Peer{Name: "ends", Transport: HTTP, program: program{args: []string{"sh", "-c", "echo no luck >&2; exit 3"}, freePort: free}}
		if _, _, err := p.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no luck") || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("%v", err)
		}
	}
}
