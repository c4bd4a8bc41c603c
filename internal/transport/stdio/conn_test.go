//go:build unix

package stdio

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestRoundTrip(t *testing.T) {
	c := dial(t, script("echo"), transport.Options{})
	for _, id := range []string{`1`, `"1"`, `1.0`, `9007199254740993`} {
		call := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
		send(t, c, call)
		if in := receive(t, c); in.ID.String() != id || in.Kind != wire.KindResult {
			t.Errorf("sent id %s, received %s", id, in.Raw)
		}
	}
	if err := c.Close(limited(t)); err != nil {
		t.Fatal(err)
	}
	want := ExitInfo{Rung: RungStdin, State: State{Ended: true}}
	if got := c.Exit(); got != want {
		t.Errorf("exit = %+v, want %+v", got, want)
	}
	if _, err := c.Receive(limited(t)); !errors.Is(err, transport.ErrClosed) || !errors.Is(err, errClosedHere) {
		t.Errorf("Receive after Close: %v", err)
	}
	if _, err := c.Send(limited(t), transport.Outgoing{}); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
}

func TestDiesAtOnce(t *testing.T) {
	c := dial(t, script("dies"), transport.Options{})
	_, err := c.Receive(limited(t))
	var exit *ExitError
	if !errors.Is(err, transport.ErrClosed) || !errors.As(err, &exit) {
		t.Fatalf("Receive: %v", err)
	}
	for _, part := range []string{"exited with status 3", "before it answered", "no such database"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in: %v", part, err)
		}
	}
	if _, err := c.Send(limited(t), transport.Outgoing{Raw: []byte("{}")}); !errors.As(err, &exit) {
		t.Errorf("Send: %v", err)
	}
	if err := c.Close(limited(t)); err != nil || c.Exit().Rung != RungSelf || c.Exit().State.Code != 3 {
		t.Errorf("exit = %+v, %v", c.Exit(), err)
	}
}

func TestEndInput(t *testing.T) {
	c := dial(t, script("echo"), transport.Options{})
	if !c.EndInput(limited(t)) {
		t.Error("a server that ends on the end of its stdin is still there")
	}
	if err := c.Close(limited(t)); err != nil || c.Exit().Rung != RungSelf {
		t.Errorf("exit = %+v, %v", c.Exit(), err)
	}
	c = dial(t, script("staying"), transport.Options{})
	if _, err := c.Receive(limited(t)); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if c.EndInput(over) {
		t.Error("a server that does not end on the end of its stdin is gone")
	}
}

func TestUnreachable(t *testing.T) {
	folder := t.TempDir()
	plain, garbage := filepath.Join(folder, "plain"), filepath.Join(folder, "garbage")
	for name, mode := range map[string]os.FileMode{plain: 0o600, garbage: 0o700} {
		if err := os.WriteFile(name, []byte("neither script nor program"), mode); err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name    string
		ctx     context.Context
		command Command
		want    string
	}{
		{"nothing", t.Context(), Command{}, "no command given"},
		{"not on PATH", t.Context(), Command{Args: []string{"peerwright-none", "--key=s3cret"}}, "install it or give its full path"},
		{"no such file", t.Context(), Command{Args: []string{folder + "/none"}}, "no such file"},
		{"no such folder", t.Context(), Command{Args: []string{os.Args[0]}, Dir: folder + "/none"}, "working directory not found"},
		{"not executable", t.Context(), Command{Args: []string{plain}}, "chmod +x"},
		{"no program", t.Context(), Command{Args: []string{garbage}}, "not a program"},
		{"no time", gone, script("echo"), "canceled"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Dial(tc.ctx, tc.command, transport.Options{})
			if !errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error = %v, want one with %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error shows the arguments: %v", err)
			}
		})
	}
}
