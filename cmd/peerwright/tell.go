package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/peerwright/peerwright/internal/redact"
)

// tell writes an error for a terminal, which what a peer said in it must not command.
func tell(w io.Writer, err error) {
	_, _ = fmt.Fprintf(w, "peerwright: %s\n", strings.Map(plain, err.Error())) // nobody is left to tell
}

// warn is tell for an error that may quote what the peer said.
func warn(w io.Writer, red *redact.Redactor, err error) {
	tell(w, fmt.Errorf("warning: %s", red.Text([]byte(err.Error()))))
}

// plain replaces what a terminal would obey, or that turns the reading direction.
func plain(r rune) rune {
	if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf) {
		return unicode.ReplacementChar
	}
	return r
}
