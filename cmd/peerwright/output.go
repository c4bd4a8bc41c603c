package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/reporters"
)

// outputFlags say in which form a report goes where.
type outputFlags struct {
	format string
	file   string
}

func (o *outputFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&o.format, "format", "markdown", "how to write the report: "+strings.Join(reporters.Formats(), ", "))
	flags.StringVarP(&o.file, "output", "o", "", "`file` to write the report to, instead of standard output")
}

func (o *outputFlags) check() error {
	if !slices.Contains(reporters.Formats(), o.format) {
		return usage("--format %q is none of %s", o.format, strings.Join(reporters.Formats(), ", "))
	}
	return nil
}

// write renders the report. A file is written whole or not at all.
func (o *outputFlags) write(out io.Writer, r reporters.Report) error {
	if o.file == "" {
		return reporters.Render(out, o.format, r)
	}
	tmp, err := os.CreateTemp(dirOf(o.file), ".peerwright-*")
	if err != nil {
		return usage("writing the report: %v", err)
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // it is gone when the rename went well
	if err := reporters.Render(tmp, o.format, r); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := os.Rename(tmp.Name(), o.file); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func dirOf(file string) string {
	if i := strings.LastIndexByte(file, os.PathSeparator); i >= 0 {
		return file[:i+1]
	}
	return "."
}

// newRedactor returns a redactor with a key that nobody keeps.
func newRedactor() (*redact.Redactor, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return redact.New(key), nil
}
