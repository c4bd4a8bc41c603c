package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// process starts the program as a process of its own.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, out, errs *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	cmd = exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), actEnv+"=program")
	cmd.Stdout, cmd.Stderr = out, errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out, errs
}

// What a peer sends out of turn is quoted nowhere: it may be what it was told.
func TestNothingIsLoggedByTheWay(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // it ends with the listener
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}password=canary\x1b[31m"))
	}))
	cmd, out, errs := process(t, "report", "--mcp", "http://"+l.Addr().String()+"/mcp")
	_ = cmd.Wait() // the exit status is of another test
	if errs.Len() > 0 || strings.Contains(out.String(), "canary") {
		t.Errorf("stderr %q, stdout %s", errs, out)
	}
}

// A user who presses ^C gets what is known so far, and it accuses nobody.
func TestInterrupt(t *testing.T) {
	asked := make(chan struct{}, 1000)
	base, stop, err := serve(func(string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw := new(bytes.Buffer)
			_, _ = raw.ReadFrom(r.Body)
			m := wire.Parse(raw.Bytes())
			if m.Method != "server/discover" { // not even the first case is answered
				asked <- struct{}{}
				<-r.Context().Done()
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(wire.Result(m.ID, json.RawMessage(
				`{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"public"}`)))
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	cmd, out, errs := process(t, "report", "--format", "json", "--mcp", base+"/mcp")
	<-asked
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	within(t, 30*time.Second, func() { _ = cmd.Wait() })
	r := readReport(t, out.Bytes())
	if code := cmd.ProcessState.ExitCode(); code != exitBad || r.Verdict != reporters.Incomplete || errs.Len() > 0 {
		t.Errorf("exit %d, %s, %q", code, r.Verdict, errs)
	}
	for _, c := range r.Peers[0].Cases {
		if c.Status == reporters.Failed || c.Status == reporters.Warned || c.Status == reporters.Errored && !strings.Contains(c.Reason, "interrupted") {
			t.Errorf("%s is %s: %s %s", c.ID, c.Status, c.Reason, c.Actual)
		}
	}
}

func TestOutput(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("real"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", in("link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, file string
		code       int
		says       string
	}{
		{"a new file", in("new"), exitGood, ""},
		{"a link", in("link"), exitGood, ""},
		{"a folder", dir, exitUsage, "is a folder"},
		{"in no folder", in("none/x"), exitUsage, "no such file"},
		{"in a file", in("real/x"), exitUsage, "not a directory"},
	} {
		got := peerwright(t, "report", "--only", "mcp.errors.shape", "--output", c.file)
		if (got.code == exitUsage) != (c.code == exitUsage) || !strings.Contains(got.err, c.says) {
			t.Errorf("%s: exit %d: %s", c.name, got.code, got.err)
		}
	}
	for name, mode := range map[string]os.FileMode{in("new"): 0o600, in("real"): 0o600, in("link"): os.ModeSymlink} {
		info, err := os.Lstat(name)
		if err != nil || mode.IsRegular() && (info.Mode() != mode || info.Size() < 100) || info.Mode()&mode == 0 {
			t.Errorf("%s is %v, %v", name, info, err)
		}
	}
	if left, err := filepath.Glob(in(".peerwright-*")); err != nil || left != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
