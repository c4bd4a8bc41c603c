//go:build unix

package http1

import (
	"errors"
	"syscall"
)

// supported says that this system tells whether a connection that waits was closed.
const supported = true

// alive tells whether the peer has neither closed the connection nor sent anything
// unasked. It waits for nothing.
func (k *conn) alive() bool {
	var one [1]byte
	silent := false
	err := k.raw.Read(func(fd uintptr) bool {
		_, err := syscall.Read(int(fd), one[:])
		silent = errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EWOULDBLOCK)
		return true
	})
	return err == nil && silent
}
