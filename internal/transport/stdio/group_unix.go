//go:build unix

package stdio

import (
	"os"
	"syscall"
)

// terminate asks every process of the group to end.
func (c *child) terminate() { c.signal(syscall.SIGTERM) }

// kill ends every process of the group.
func (c *child) kill() { c.signal(syscall.SIGKILL) }

// signal reaches the whole group, whose number is the pid of its leader. The number
// is not given away while one process of the group is left, so a group is asked for
// its members first, and a stranger that has the number later is never hit.
func (c *child) signal(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	if ok && !c.empty() {
		_ = syscall.Kill(-c.pid(), number) // the last of them may end by itself just now
	}
}

// empty tells whether no process of the group is left.
func (c *child) empty() bool {
	select {
	case <-c.gone:
		return !groupAlive(c.pid())
	default:
		return false
	}
}
