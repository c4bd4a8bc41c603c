//go:build unix

package main

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A bridge whose terminal is closed ends in good order, and one that was started to outlive
// its terminal does not.
func TestHangup(t *testing.T) {
	// These tests may run under nohup themselves. A child inherits that a signal is ignored,
	// and not that it is caught.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bridge := []string{self, "bridge", somewhere, "--listen", "127.0.0.1:0"}
	for name, c := range map[string]struct {
		command []string
		lives   bool
	}{
		"as it is":   {bridge, false},
		"with nohup": {append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`}, bridge...), true},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), c.command[0], c.command[1:]...)
			cmd.Env = append(os.Environ(), actEnv+"=program")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(firstLine(t, bufio.NewReader(out)), "http://")
			address, _, _ := strings.Cut(rest, "/")
			send := func(s os.Signal) {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			send(syscall.SIGHUP)
			if c.lives {
				resp, err := http.Get("http://" + address + "/healthz")
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				send(syscall.SIGTERM)
			}
			within(t, 30*time.Second, func() { _ = cmd.Wait() })
			if code := cmd.ProcessState.ExitCode(); code != exitGood {
				t.Errorf("exit %d, %s", code, cmd.ProcessState)
			}
		})
	}
}

func firstLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "http://127.0.0.1:") {
			return strings.TrimSpace(line)
		}
	}
}
