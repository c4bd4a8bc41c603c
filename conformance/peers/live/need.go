package live

import (
	"fmt"
	"os"
	"os/exec"
)

// need is something that must be there for a peer to start; it returns why it is
// not, "" when it is.
type need func() string

// onPath asks for a program.
func onPath(name string) need {
	return func() string {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Sprintf("%s is not on the PATH", name)
		}
		return ""
	}
}

// installed asks for a file that the install script leaves.
func installed(path string) need {
	return func() string {
		if _, err := os.Stat(path); err != nil {
			return fmt.Sprintf("%s is missing: run scripts/install-peers.sh", path)
		}
		return ""
	}
}

// Available tells whether the peer can be started, and why not.
func (p Peer) Available() (ok bool, why string) {
	for _, missing := range p.needs {
		if why := missing(); why != "" {
			return false, why
		}
	}
	return true, ""
}
