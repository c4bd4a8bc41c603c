package main

import (
	"fmt"
	"io"
	"os"
)

// progress shows on a terminal, and only there, how far the suite is.
type progress struct {
	w    io.Writer
	name string
	on   bool
}

func newProgress(w io.Writer, name string) *progress {
	return &progress{w: w, name: name, on: isTerminal(w)}
}

func (p *progress) step(done, total int, id string) {
	if p.on {
		_, _ = fmt.Fprintf(p.w, "\r\x1b[K%s: %d of %d, %s", p.name, done, total, id) // a terminal that is gone needs no progress
	}
}

func (p *progress) done() {
	if p.on {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
