package toolserver_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// pty opens a pseudo terminal: its two ends, of which the second is the terminal.
func pty(t *testing.T) (user, terminal *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatalf("this machine has no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { _ = user.Close() })
	var number, unlocked uint32
	control(t, user, syscall.TIOCGPTN, &number)
	control(t, user, syscall.TIOCSPTLCK, &unlocked)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return user, terminal
}

func control(t *testing.T, f *os.File, request uintptr, value *uint32) {
	t.Helper()
	if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(value))); err != 0 {
		t.Fatal(err)
	}
}

// TestRealTerminal starts a server over stdio on a terminal of its own. It asks that the
// question and its answer go over the terminal, that the protocol's stdin is never read for
// it nor its stdout written, and that other calls are answered while the question is open.
func TestRealTerminal(t *testing.T) {
	user, terminal := pty(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "TOOLSERVER_STDIO=1", "TOOLSERVER_CONFIRM=terminal")
	cmd.Stderr = terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(stdout)
	for _, answer := range []string{"", "no"} { // "" is the number that is asked for
		_, _ = fmt.Fprintln(stdin, line(1, "burn_book", `{"title":"Emma"}`))
		number := question(t, user)
		// What a client sends now must be a message to the server, not an answer to the question.
		_, _ = fmt.Fprintln(stdin, number)
		_, _ = fmt.Fprintln(stdin, line(2, "motto", `{}`))
		if got := next(t, answers); !strings.Contains(got, `"error"`) {
			t.Errorf("a number on stdin is no message: %s", got)
		}
		if got := next(t, answers); !strings.Contains(got, `"id":2`) || !strings.Contains(got, "slowly") {
			t.Errorf("while the question is open: %s", got)
		}
		if answer == "" {
			answer = number
		}
		if _, err := fmt.Fprintln(user, answer); err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{true: "burnt Emma", false: "not confirmed"}[answer == number]
		if got := next(t, answers); !strings.Contains(got, `"id":1`) || !strings.Contains(got, want) {
			t.Errorf("after %q: %s", answer, got)
		}
	}
	_ = stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

var asked = regexp.MustCompile(`burn_book of library with \{"title":"Emma"\}\?\s+Type (\d{4}) to allow it, anything else to deny it: $`)

// question reads the terminal until the question stands there, and returns its number.
func question(t *testing.T, user *os.File) string {
	t.Helper()
	shown, buf := "", make([]byte, 4096)
	_ = user.SetReadDeadline(time.Now().Add(20 * time.Second)) // where it cannot be set the test's own limit ends it
	for {
		if m := asked.FindStringSubmatch(shown); m != nil {
			return m[1]
		}
		n, err := user.Read(buf)
		if err != nil {
			t.Fatalf("the terminal shows %q: %v", shown, err)
		}
		shown += string(buf[:n])
	}
}
