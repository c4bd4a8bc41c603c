package stdio

import (
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

func TestAKilledParentLeavesNoChild(t *testing.T) {
	command := script("dialer")
	parent := exec.Command(command.Args[0])
	parent.Env = command.Env
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := wire.NewLineReader(stdout, 0).Next()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(line.Content()))
	if err != nil {
		t.Fatal(err)
	}
	if !runs(pid) {
		t.Fatal("the child does not run")
	}
	_ = parent.Process.Signal(syscall.SIGKILL)
	_ = parent.Wait()
	for ctx := limited(t); runs(pid); { // it is no child of ours: nobody tells us of its end
		select {
		case <-ctx.Done():
			t.Fatalf("process %d outlived its parent", pid)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestLivesIn(t *testing.T) {
	for _, tc := range []struct {
		stat string
		want bool
	}{
		{"7 (a) S 1 42 42 0", true},
		{"7 (a b) Z 1 42 42 0", false},
		{"7 () Z 1 42) S 1 42 42 0", true}, // a name may hold anything
		{"7 (a) S 42 43 42 0", false},
		{"", false},
		{"7 (a)", false},
	} {
		if got := livesIn([]byte(tc.stat), 42); got != tc.want {
			t.Errorf("%q: %v", tc.stat, got)
		}
	}
}
