//go:build unix

package stdio

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// frames collects what a tap sees.
type frames struct {
	mu   sync.Mutex
	list []wire.Frame
}

func (f *frames) see(fr wire.Frame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, fr)
}

// data joins the bytes of the frames of one direction and kind.
func (f *frames) data(dir wire.Direction, kinds ...wire.FrameKind) string {
	var b strings.Builder
	for _, fr := range f.of(dir, kinds...) {
		b.Write(fr.Data)
	}
	return b.String()
}

func (f *frames) of(dir wire.Direction, kinds ...wire.FrameKind) []wire.Frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []wire.Frame
	for _, fr := range f.list {
		for _, kind := range kinds {
			if fr.Dir == dir && fr.Kind == kind {
				found = append(found, fr)
			}
		}
	}
	return found
}

func TestBannerIsQueuedAndJudgedByOthers(t *testing.T) {
	var tap frames
	c := dial(t, script("banner"), transport.Options{Tap: tap.see})
	if in := receive(t, c); string(in.Raw) != "Fine Server version 1" || in.Kind != wire.KindInvalid {
		t.Errorf("first line: %q, %s", in.Raw, in.Kind)
	}
	send(t, c, ping)
	if in := receive(t, c); in.Kind != wire.KindResult {
		t.Errorf("after the banner: %q", in.Raw)
	}
	got := tap.of(wire.In, wire.FrameMessage)
	if len(got) != 3 || string(got[1].Data) != "\n" {
		t.Errorf("the blank line is no frame of its own: %v", got)
	}
}

func TestStderrIsDrained(t *testing.T) {
	var tap frames
	c := dial(t, script("noisy"), transport.Options{Tap: tap.see})
	for range 3 {
		send(t, c, ping)
		if in := receive(t, c); in.Kind != wire.KindResult {
			t.Errorf("received %q", in.Raw)
		}
	}
	if err := c.Close(limited(t)); err != nil {
		t.Fatal(err)
	}
	if got := len(tap.data(wire.In, wire.FrameStderr)); got != 3*256<<10 {
		t.Errorf("the tap saw %d bytes of stderr", got)
	}
	for _, f := range tap.of(wire.In, wire.FrameStderr) {
		if len(f.Data) > stderrLine+32<<10 {
			t.Errorf("a piece of %d bytes", len(f.Data))
		}
	}
	if got := len(c.stderr.tail()); got != tailSize {
		t.Errorf("the tail has %d bytes", got)
	}
}

func TestStderrIsReadToItsEnd(t *testing.T) {
	dialled := make(chan *Conn, 1)
	var once sync.Once
	c := dial(t, script("dies-loudly"), transport.Options{Tap: func(f wire.Frame) {
		if f.Kind == wire.FrameStderr {
			once.Do(func() { <-(<-dialled).proc.ended() }) // the rest still waits in the pipe
		}
	}})
	dialled <- c
	var exit *ExitError
	if _, err := c.Receive(limited(t)); !errors.As(err, &exit) || !strings.HasSuffix(exit.Stderr, "\nno such database") {
		t.Errorf("Receive: %v", err)
	}
	if len(exit.Stderr) != tailSize || len(exit.Error()) > 2048 {
		t.Errorf("%d bytes kept, %d in the text", len(exit.Stderr), len(exit.Error()))
	}
}

func TestEndsInTheMiddle(t *testing.T) {
	for mode, want := range map[string]string{
		"unterminated": "exited with status 4 in the middle of the conversation",
		"killed":       "was ended by signal: killed before it answered",
	} {
		t.Run(mode, func(t *testing.T) {
			c := dial(t, script(mode), transport.Options{})
			_, err := c.Receive(limited(t))
			if err == nil { // what came of the message
				_, err = c.Receive(limited(t))
			}
			if !errors.Is(err, transport.ErrClosed) || !strings.Contains(err.Error(), want) {
				t.Errorf("error = %v, want one with %q", err, want)
			}
		})
	}
}

func TestEveryWaiterIsToldOfTheEnd(t *testing.T) {
	c := dial(t, script("signalled"), transport.Options{})
	pid := receivePid(t, c)
	receive(t, c) // ready
	ends := make(chan error)
	for range 8 {
		go func() {
			for {
				if _, err := c.Receive(limited(t)); err != nil {
					ends <- err
					return
				}
			}
		}()
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		var exit *ExitError
		if err := <-ends; !errors.As(err, &exit) || exit.State.Code != 7 {
			t.Errorf("a waiter was told: %v", err)
		}
	}
	<-c.done // without Close
	wantGone(t, pid, false)
}

func TestStdoutClosedIsTheEnd(t *testing.T) {
	command := script("stdout-closed")
	command.Grace = time.Millisecond
	c := dial(t, command, transport.Options{})
	pid := receivePid(t, c)
	_, err := c.Receive(limited(t))
	var exit *ExitError
	if !errors.As(err, &exit) || exit.State.Ended || !strings.Contains(err.Error(), "closed its stdout and still runs") {
		t.Fatalf("Receive: %v", err)
	}
	if err := c.Close(limited(t)); err != nil {
		t.Fatal(err)
	}
	wantGone(t, pid, false)
}

func TestSendHonoursItsContext(t *testing.T) {
	c := dial(t, script("stubborn"), transport.Options{}) // it never reads
	pid := receivePid(t, c)
	receive(t, c) // ready
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error)
	go func() {
		for { // fills the pipe
			if _, err := c.Send(ctx, transport.Outgoing{Raw: bytes.Repeat([]byte(" "), 1<<20)}); err != nil {
				sent <- err
				return
			}
		}
	}()
	cancel()
	if err := <-sent; !errors.Is(err, context.Canceled) || errors.Is(err, transport.ErrClosed) {
		t.Errorf("Send: %v", err)
	}
	hurried, hurry := context.WithCancel(t.Context())
	hurry()
	if err := c.Close(hurried); err != nil {
		t.Errorf("Close: %v", err)
	}
	if c.Exit().Rung != RungKill {
		t.Errorf("rung = %q, want the last at once", c.Exit().Rung)
	}
	wantGone(t, pid, false)
}

func TestSendToAClosedStdin(t *testing.T) {
	command := script("stdin-closed")
	command.Grace = time.Millisecond
	c := dial(t, command, transport.Options{})
	receivePid(t, c)
	receive(t, c) // ready
	if _, err := c.Send(limited(t), transport.Outgoing{Raw: []byte(ping)}); !errors.Is(err, transport.ErrClosed) ||
		!strings.Contains(err.Error(), "no longer reads its stdin") {
		t.Errorf("Send: %v", err)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	for _, tc := range []struct {
		mode string
		want State // zero where it depends on who is faster
	}{
		{"mute", State{Ended: true}},
		{"staying", State{}},
		{"stubborn", State{true, 137, "killed"}},
	} {
		t.Run(tc.mode, func(t *testing.T) {
			command := script(tc.mode)
			if tc.mode != "mute" {
				command.Grace = time.Millisecond
			}
			c := dial(t, command, transport.Options{})
			pid := receivePid(t, c)
			if tc.mode == "stubborn" {
				receive(t, c) // it has seen to its signals
			}
			if got := c.Exit(); got != (ExitInfo{}) {
				t.Errorf("before Close: %+v", got)
			}
			for range 2 {
				if err := c.Close(limited(t)); err != nil {
					t.Error(err)
				}
			}
			if got := c.Exit(); tc.want.Ended && got.State != tc.want || !got.State.Ended {
				t.Errorf("exit = %+v, want %+v", got, tc.want)
			}
			wantGone(t, pid, false)
		})
	}
}

func TestCloseLeavesNoGrandchild(t *testing.T) {
	for _, mode := range []string{
		"parent=staying",  // ends on the end of stdin, and leaves one that does not
		"parent=stubborn", // one that ignores SIGTERM too
		"leaver=staying",  // ends by itself, and leaves one that holds stdout
		"leaver=stubborn",
	} {
		t.Run(mode, func(t *testing.T) {
			command := script(mode)
			command.Grace = 100 * time.Millisecond
			c := dial(t, command, transport.Options{})
			parent, grandchild := receivePid(t, c), receivePid(t, c)
			if strings.HasPrefix(mode, "leaver") {
				for err := error(nil); err == nil; {
					_, err = c.Receive(limited(t)) // the end is told though stdout is held
				}
			}
			if err := c.Close(limited(t)); err != nil {
				t.Error(err)
			}
			wantGone(t, parent, false)
			wantGone(t, grandchild, true)
		})
	}
}

func TestShellCommandIsEndedWhole(t *testing.T) {
	command := script("staying")
	command.Args = []string{"sh", "-c", `"$0"; true`, os.Args[0]}
	command.Grace = time.Millisecond
	c := dial(t, command, transport.Options{})
	pid := receivePid(t, c)
	if err := c.Close(limited(t)); err != nil {
		t.Error(err)
	}
	wantGone(t, pid, true)
}

func TestWhereAndWithWhatItRuns(t *testing.T) {
	command := script("argument=value")
	command.Dir = t.TempDir()
	command.Args = append(command.Args, "a b", "")
	c := dial(t, command, transport.Options{})
	if got, want := string(receive(t, c).Raw), command.Dir+` value ["a b" ""]`; got != want {
		t.Errorf("child tells %s, want %s", got, want)
	}
}
