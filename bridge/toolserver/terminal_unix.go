//go:build !windows

package toolserver

import (
	"io"
	"os"
)

func openTerminal() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }
