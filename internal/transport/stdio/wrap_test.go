//go:build unix

package stdio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// wrapped runs Wrap with the client's stdin given, and returns what came out.
func wrapped(t *testing.T, mode string, stdin io.Reader, tap wire.Tap) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status, err := Wrap(limited(t), script(mode), stdin, &out, &errs, tap)
	if err != nil {
		t.Error(err)
	}
	return status, out.String(), errs.String()
}

// torn gives its bytes in pieces of the given lengths.
type torn struct {
	data  []byte
	sizes func() int
}

func (r *torn) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.sizes())], r.data)
	r.data = r.data[n:]
	return n, nil
}

func TestWrapChangesNoByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 5<<20)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for name, text := range map[string]string{
		"nothing":        "",
		"CRLF":           "{}\r\n\r\n{}\r\n",
		"no newline":     "{}\n{\"é\":1}",
		"long line":      strings.Repeat("é", 5<<19) + "\n",
		"5 MiB of noise": string(noise),
		"lines":          strings.Repeat(ping+"\n", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			var tap frames
			stdin := &torn{data: []byte(text), sizes: func() int { return 1 + rng.IntN(100_000) }}
			status, stdout, _ := wrapped(t, "cat", stdin, tap.see)
			if status != 0 || stdout != text {
				t.Errorf("status %d, %d bytes of %d", status, len(stdout), len(text))
			}
			for _, dir := range []wire.Direction{wire.In, wire.Out} {
				if got := tap.data(dir, wire.FrameMessage); got != text {
					t.Errorf("tap saw %d bytes of %d going %s", len(got), len(text), dir)
				}
				for i, f := range tap.of(dir, wire.FrameMessage) {
					if at := bytes.IndexByte(f.Data, '\n'); at != len(f.Data)-1 && f.Note == "" {
						t.Errorf("frame %d is not one line", i)
					}
				}
				if got := tap.of(dir, wire.FrameClose); len(got) != 1 {
					t.Errorf("ends going %s: %v", dir, got)
				}
			}
		})
	}
}

func TestWrapCutAtEveryOffset(t *testing.T) {
	const text = `{"é€😀":1}` + "\r\n{}\n{"
	var tap frames
	want := strings.Repeat(text, len(text))
	_, stdout, _ := wrapped(t, "write="+text, strings.NewReader(""), tap.see)
	if got := tap.data(wire.In, wire.FrameMessage); stdout != want || got != want {
		t.Errorf("client saw %q, tap %q", stdout, got)
	}
}

func TestWrapPassesAPieceOfALineAtOnce(t *testing.T) {
	ours, theirs := net.Pipe()
	ended := make(chan error)
	go func() {
		_, err := Wrap(limited(t), script("cat"), theirs, theirs, io.Discard, nil)
		ended <- err
	}()
	for _, piece := range []string{`{"jsonrpc":`, `"2.0"`, "}", "\n", "tail"} {
		if _, err := io.WriteString(ours, piece); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(piece))
		if _, err := io.ReadFull(ours, got); err != nil || string(got) != piece {
			t.Fatalf("sent %q, received %q, %v", piece, got, err)
		}
	}
	_ = ours.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWrapTellsHowTheChildEnded(t *testing.T) {
	open, held := io.Pipe() // the client never closes its end
	defer held.Close()
	for mode, want := range map[string]int{"dies": 3, "killed": 137, "leaver=stubborn": 5} {
		var tap frames
		command := script(mode)
		command.Grace = time.Millisecond
		var stderr bytes.Buffer
		status, err := Wrap(limited(t), command, open, io.Discard, &stderr, tap.see)
		if err != nil || status != want {
			t.Errorf("%s: status = %d, %v", mode, status, err)
		}
		if got := tap.data(wire.In, wire.FrameStderr); got != stderr.String() {
			t.Errorf("%s: stderr %q, tap saw %q", mode, stderr.String(), got)
		}
	}
	if status, err := Wrap(limited(t), Command{Args: []string{"/none"}}, open, io.Discard, io.Discard, nil); status != -1 ||
		!errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("not started: %d, %v", status, err)
	}
}

func TestWrapEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(limited(t))
	command := script("stubborn")
	command.Grace = time.Millisecond
	out := &firstLines{want: 2, seen: cancel}
	if status, err := Wrap(ctx, command, strings.NewReader(""), out, io.Discard, nil); status != 137 || err != nil {
		t.Errorf("status = %d, %v", status, err)
	}
	pid, err := strconv.Atoi(strings.Fields(out.String())[0])
	if err != nil {
		t.Fatal(err)
	}
	wantGone(t, pid, false)
}

// firstLines calls seen when it holds that many lines.
type firstLines struct {
	bytes.Buffer
	want, lines int
	seen        func()
}

func (b *firstLines) Write(p []byte) (int, error) {
	n, err := b.Buffer.Write(p)
	had := b.lines
	b.lines += bytes.Count(p, []byte("\n"))
	if had < b.want && b.lines >= b.want {
		b.seen()
	}
	return n, err
}

func TestWrapGivesTheChildABrokenPipe(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close() // the client has closed its end
	status, err := Wrap(limited(t), script("endless"), strings.NewReader(""), w, io.Discard, nil)
	if want := 128 + int(syscall.SIGPIPE); status != want || err != nil {
		t.Errorf("status = %d, %v, want %d", status, err, want)
	}
}

func TestWrapPassesSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		command := script("wrap=signalled")
		recorder := exec.Command(command.Args[0])
		recorder.Env = command.Env
		stdout, err := recorder.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := recorder.Start(); err != nil {
			t.Fatal(err)
		}
		lines := wire.NewLineReader(stdout, 0)
		var last string
		for line, err := lines.Next(); err == nil; line, err = lines.Next() {
			if last = string(line.Content()); last == "ready" {
				_ = recorder.Process.Signal(sig)
			}
		}
		_ = recorder.Wait()
		if code := recorder.ProcessState.ExitCode(); code != 7 || last != sig.String() {
			t.Errorf("%v: the child told %q, status %d", sig, last, code)
		}
	}
}

func TestWrapDoesNotWaitForTheTap(t *testing.T) {
	flowed := make(chan struct{})
	var tap frames
	stuck := func(f wire.Frame) {
		<-flowed
		tap.see(f)
	}
	const line, count = 1 << 20, 80
	text := strings.Repeat(strings.Repeat("x", line-1)+"\n", count)
	out := &firstLines{want: count, seen: func() { close(flowed) }}
	if _, err := Wrap(limited(t), script("cat"), strings.NewReader(text), out, io.Discard, stuck); err != nil {
		t.Error(err)
	}
	if out.String() != text {
		t.Error("the client saw other bytes")
	}
	for _, dir := range []wire.Direction{wire.In, wire.Out} {
		lost := 0
		for _, f := range tap.of(dir, wire.FrameChunk) {
			if n, err := strconv.Atoi(strings.SplitN(f.Note, " ", 2)[0]); err == nil {
				lost += n
			}
		}
		seen := len(tap.data(dir, wire.FrameMessage, wire.FrameChunk))
		if seen+lost != len(text) || lost == 0 {
			t.Errorf("going %s: %d bytes seen, %d told as left out, of %d", dir, seen, lost, len(text))
		}
		for _, f := range tap.of(dir, wire.FrameMessage) {
			if len(f.Data) != line && f.Note == "" {
				t.Errorf("a message of %d bytes, which nobody wrote", len(f.Data))
			}
		}
	}
}
