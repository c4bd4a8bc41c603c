package stdio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
)

// DefaultGrace is how long a server has, on each rung of the ladder, to end.
const DefaultGrace = 2 * time.Second

// Command says which server to start. Only Args is required.
type Command struct {
	Args []string // the program, looked up on PATH when it has no slash, and its arguments
	Dir  string   // working directory; "" means that of this process
	Env  []string // environment, "KEY=value" each; nil means that of this process
	// Grace is how long the server has to end after its stdin was closed, and again
	// after each signal; 0 means DefaultGrace.
	Grace time.Duration
}

func (c Command) grace() time.Duration {
	if c.Grace > 0 {
		return c.Grace
	}
	return DefaultGrace
}

// unstartable wraps why the command did not start in what the user can do about it.
// The arguments are left out: they may hold secrets.
func (c Command) unstartable(cause error) error {
	where := ""
	if c.Dir != "" {
		where = " in " + c.Dir
	}
	return fmt.Errorf("%w: starting %q%s: %s: %w", transport.ErrUnreachable, c.Args[0], where, c.hint(cause), cause)
}

func (c Command) hint(cause error) string {
	if c.Dir != "" {
		if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
			return "working directory not found: create it or name another"
		}
	}
	switch {
	case errors.Is(cause, exec.ErrNotFound):
		return "command not found: install it or give its full path"
	case errors.Is(cause, exec.ErrDot):
		return "command stands in the current directory: write ./ before its name"
	case errors.Is(cause, fs.ErrNotExist):
		return "no such file, or the interpreter that its first line names is missing"
	case errors.Is(cause, fs.ErrPermission):
		return "file is not executable: allow it with chmod +x"
	case errors.Is(cause, syscall.ENOEXEC):
		return "not a program for this machine; a script needs a first line such as #!/bin/sh"
	}
	return "could not be started"
}
