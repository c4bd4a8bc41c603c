//go:build !unix

package stdio

import (
	"os"
	"syscall"
)

// ownGroup asks for nothing: this system has no process groups.
func ownGroup() *syscall.SysProcAttr { return nil }

// terminate does nothing: this system has no signal that asks a process to end.
func (c *child) terminate() {}

// kill ends the child, but none of the processes that it started.
func (c *child) kill() { _ = c.cmd.Process.Kill() }

// signal passes on what the system can pass on.
func (c *child) signal(sig os.Signal) { _ = c.cmd.Process.Signal(sig) }

// empty tells whether the child has ended.
func (c *child) empty() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}
