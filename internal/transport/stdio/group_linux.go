package stdio

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup puts the child into a process group of its own, and lets the kernel kill
// it when this process is killed and cannot close it.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// groupAlive tells whether the group has a process that is not a zombie. Orphans
// become zombies for good where the first process of a container does not reap.
func groupAlive(pgid int) bool {
	if syscall.Kill(-pgid, 0) != nil {
		return false
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return true
	}
	for _, name := range stats {
		if stat, err := os.ReadFile(name); err == nil && livesIn(stat, pgid) {
			return true
		}
	}
	return false
}

// livesIn reads a line of /proc/PID/stat: pid (name) state ppid pgrp, and more.
func livesIn(stat []byte, pgid int) bool {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 2 && string(fields[0]) != "Z" && string(fields[2]) == strconv.Itoa(pgid)
}
