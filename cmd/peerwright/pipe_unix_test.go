//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe or a device is written into, and not put a file in the place of.
func TestOutputToAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	read := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe)
		read <- string(text)
	}()
	if got := peerwright(t, "report", "--only", "mcp.errors.shape", "--output", pipe); got.code == exitUsage {
		t.Fatal(got.err)
	}
	if text := <-read; !strings.Contains(text, "Protocol conformance") {
		t.Errorf("read %q", text)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v, %v", info, err)
	}
}
