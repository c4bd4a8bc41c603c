//go:build unix

package stdio

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// childMode names the variable that turns this test binary into one of the servers
// that childScript plays.
const childMode = "PEERWRIGHT_STDIO_CHILD"

// dialer dials a child that does not end by itself, and tells its pid.
func dialer() int {
	c, err := Dial(context.Background(), script("staying"), transport.Options{})
	if err != nil {
		return 9
	}
	in, err := c.Receive(context.Background())
	if err != nil {
		return 9
	}
	fmt.Println(string(in.Raw))
	return sleepForever()
}

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(childScript(mode))
	}
	code := m.Run()
	if left := leaked(); left != "" {
		fmt.Println("goroutines are left:\n" + left)
		code = max(code, 1)
	}
	os.Exit(code)
}

// leaked returns the goroutines of this package that do not end.
func leaked() string {
	var left string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); runtime.Gosched() {
		left = ""
		buf := make([]byte, 1<<20)
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "transport/") && !strings.Contains(stack, "TestMain") {
				left += stack + "\n"
			}
		}
		if left == "" {
			break
		}
	}
	return left
}

// script is the command of a child that plays mode.
func script(mode string) Command {
	return Command{Args: []string{os.Args[0]}, Env: append(os.Environ(), childMode+"="+mode, "GORACE=atexit_sleep_ms=0"), Grace: 5 * time.Second}
}

func childScript(mode string) int {
	name, arg, _ := strings.Cut(mode, "=")
	switch name {
	case "echo":
		return echo("\n", nil)
	case "crlf":
		return echo("\r\n", nil)
	case "banner":
		fmt.Printf("Fine Server version 1\n\n")
		return echo("\n", nil)
	case "noisy": // 256 KB without one newline, before each answer
		return echo("\n", func() { _, _ = os.Stderr.Write(bytes.Repeat([]byte("x"), 256<<10)) })
	case "dies":
		fmt.Fprint(os.Stderr, "reading settings\nno such database")
		return 3
	case "dies-loudly": // more than one read can take
		fmt.Fprint(os.Stderr, strings.Repeat("working\n", 10_000)+"no such database")
		return 3
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		return sleepForever()
	case "unterminated": // dies in the middle of a message
		fmt.Print(`{"jsonrpc":"2.0","id":1,"res`)
		return 4
	case "write": // writes its argument bytewise and goes
		return writeSplit(arg)
	case "big":
		size, _ := strconv.Atoi(arg)
		return echo("\n", func() { _, _ = os.Stdout.WriteString(`{"pad":"` + strings.Repeat("p", size) + "\"}\n") })
	case "cat":
		_, _ = io.Copy(struct{ io.Writer }{os.Stdout}, os.Stdin)
		return 0
	case "endless":
		for {
			_, _ = os.Stdout.WriteString("on and on\n")
		}
	case "wrap":
		status, _ := Wrap(context.Background(), script(arg), os.Stdin, os.Stdout, os.Stderr, nil)
		return status
	case "dialer":
		return dialer()
	case "argument": // shows where it runs and what it was given
		dir, _ := os.Getwd()
		fmt.Printf("%s %s %q\n", dir, arg, os.Args[1:])
		return echo("\n", nil)
	}
	return rudeScript(name, arg)
}

// rudeScript plays the children that do not end, or do not listen.
func rudeScript(name, arg string) int {
	fmt.Println(os.Getpid())
	switch name {
	case "mute":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "staying": // does not end on the end of its stdin
		_, _ = io.Copy(io.Discard, os.Stdin)
		sleepForever()
	case "stubborn": // nor on SIGTERM, and reads nothing
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		sleepForever()
	case "stdout-closed":
		_ = os.Stdout.Close()
		sleepForever()
	case "stdin-closed":
		_ = os.Stdin.Close()
		fmt.Println("ready")
		sleepForever()
	case "signalled": // tells which signal came
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		fmt.Println(<-signals)
		return 7
	case "parent": // starts arg, and ends when its stdin does
		if !spawn(arg) {
			return 9
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "leaver": // starts arg, and ends
		if !spawn(arg) {
			return 9
		}
		return 5
	}
	return 0
}

// spawn starts a grandchild that holds this process's streams, and waits until it
// has told its pid.
func spawn(mode string) bool {
	grandchild := exec.Command(os.Args[0])
	grandchild.Env = append(os.Environ(), childMode+"="+mode)
	out, err := grandchild.StdoutPipe()
	held, err2 := grandchild.StdinPipe()
	grandchild.Stderr = os.Stdout // holds our stdout
	if err != nil || err2 != nil || held == nil || grandchild.Start() != nil {
		return false
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Println(lines.Text())
		if lines.Text() == "ready" || mode != "stubborn" {
			return true
		}
	}
	return false
}

func sleepForever() int {
	time.Sleep(time.Hour)
	return 0
}

// echo answers each line with a result that holds the line.
func echo(end string, before func()) int {
	lines := wire.NewLineReader(os.Stdin, 0)
	for {
		line, err := lines.Next()
		if err != nil {
			return 0
		}
		if before != nil {
			before()
		}
		m := wire.Parse(line.Content())
		_, _ = os.Stdout.Write(append(wire.Result(m.ID, wire.Quote(string(line.Content()))), end...))
	}
}

// writeSplit writes text once for each offset, cut in two there.
func writeSplit(text string) int {
	for at := range len(text) {
		_, _ = os.Stdout.WriteString(text[:at])
		_, _ = os.Stdout.WriteString(text[at:])
	}
	return 0
}

// limited is a context that ends a test that hangs.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func dial(t *testing.T, command Command, opts transport.Options) *Conn {
	t.Helper()
	c, err := Dial(limited(t), command, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func receive(t *testing.T, c transport.Conn) transport.Incoming {
	t.Helper()
	in, err := c.Receive(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func send(t *testing.T, c transport.Conn, text string) {
	t.Helper()
	if _, err := c.Send(limited(t), transport.Outgoing{Raw: []byte(text)}); err != nil {
		t.Fatal(err)
	}
}

// receivePid reads the pid that a rude script writes first.
func receivePid(t *testing.T, c transport.Conn) int {
	t.Helper()
	pid, err := strconv.Atoi(string(receive(t, c).Raw))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// wantGone fails the test when a process is left, be it a zombie of ours. Orphans
// belong to the first process of the system, which takes its time to reap them.
func wantGone(t *testing.T, pid int, orphan bool) {
	t.Helper()
	if syscall.Kill(pid, 0) == nil && !(orphan && !runs(pid)) {
		t.Errorf("process %d is left", pid)
	}
}

func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
	}
	return !bytes.Contains(stat, []byte(") Z "))
}
