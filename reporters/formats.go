package reporters

import (
	"fmt"
	"io"
	"strings"
)

// UnknownFormatError is returned by [Render] for a format it does not have.
type UnknownFormatError struct {
	Format string
}

// Error names the format, and those there are.
func (e *UnknownFormatError) Error() string {
	return fmt.Sprintf("unknown report format %q: choose one of %s", e.Format, strings.Join(Formats(), ", "))
}

type renderer struct {
	format string
	render func(io.Writer, Report) error
}

// renderers is in the order in which the formats are told to a user.
func renderers() []renderer {
	return []renderer{
		{"markdown", Markdown},
		{"json", Write},
	}
}

// Formats lists the formats that [Render] knows, the usual one first.
func Formats() []string {
	var names []string
	for _, r := range renderers() {
		names = append(names, r.format)
	}
	return names
}

// Render writes the report in a format of [Formats]. The error for any other is an
// [*UnknownFormatError], and nothing is written then.
func Render(w io.Writer, format string, r Report) error {
	for _, known := range renderers() {
		if known.format == format {
			return known.render(w, r)
		}
	}
	return &UnknownFormatError{Format: format}
}
