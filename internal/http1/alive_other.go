//go:build !unix

package http1

// supported says that this system does not tell whether a connection that waits was
// closed, so that every exchange is for the other client.
const supported = false

func (k *conn) alive() bool { return false }
