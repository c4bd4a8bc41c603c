//go:build unix

package live

import (
	"os/exec"
	"syscall"
)

// leadGroup makes the process the leader of a group of its own.
func leadGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ask asks the whole group to end, and force ends it. That a group is gone already
// is what they are for.
func ask(cmd *exec.Cmd)   { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func force(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
