//go:build !unix

package live

import "os/exec"

func leadGroup(*exec.Cmd) {}

// ask cannot ask here, and force ends the process alone; that it is gone already
// is what it is for.
func ask(cmd *exec.Cmd)   { force(cmd) }
func force(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
