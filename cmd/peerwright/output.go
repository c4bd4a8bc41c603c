package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	if o.file == "" {
		return nil
	}
	if info, err := os.Stat(o.file); err == nil && info.IsDir() {
		return usage("--output %s is a folder: name a file in it", o.file)
	}
	if _, err := os.Stat(filepath.Dir(o.file)); err != nil {
		return usage("--output: %v", err)
	}
	return nil
}

// write renders the report. A file is written whole or not at all; what is no file, a
// device or a pipe, is written into. A report that cannot be written is a mistake of the
// user's, and says nothing about the peer.
func (o *outputFlags) write(out io.Writer, r reporters.Report) error {
	if err := o.put(out, r); err != nil {
		return usage("writing the report: %v", err)
	}
	return nil
}

func (o *outputFlags) put(out io.Writer, r reporters.Report) error {
	if o.file == "" {
		return reporters.Render(out, o.format, r)
	}
	file := o.file
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // the link stays one
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return o.into(file, r)
	}
	return o.replace(file, r)
}

// into writes into what is there.
func (o *outputFlags) into(file string, r reporters.Report) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(reporters.Render(f, o.format, r), f.Close())
}

// replace puts a new file into the place of the old one.
func (o *outputFlags) replace(file string, r reporters.Report) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".peerwright-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // it is gone when the rename went well
	if err := errors.Join(reporters.Render(tmp, o.format, r), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

// newRedactor returns a redactor with a key that nobody keeps.
func newRedactor() (*redact.Redactor, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return redact.New(key), nil
}
