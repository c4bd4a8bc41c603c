//go:build unix && !linux

package stdio

import "syscall"

// ownGroup puts the child into a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// groupAlive tells whether the group has a process left.
func groupAlive(pgid int) bool { return syscall.Kill(-pgid, 0) == nil }
