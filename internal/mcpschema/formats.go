package mcpschema

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// formats compiles the keyword "format" into checks of our own. They read leniently:
// the specification names the RFCs, and says nowhere how strictly to hold to them.
type formats struct{}

// checks tell whether a text is of a format.
var checks = map[string]struct {
	name string
	ok   func(string) bool
}{
	// RFC 4648 section 4, as the format "byte" of the published schemas has it; line
	// breaks are let pass.
	"base64": {"base64", isBase64},
	// RFC 3986: a URI begins with a scheme. What follows is for its scheme to say.
	"uri": {"a URI with a scheme", regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`).MatchString},
	// The same of a resource, which official SDKs hold to be any text that names one,
	// relative references too.
	"resource-uri": {"a URI", regexp.MustCompile(`^[^\x00-\x1f\x7f]+$`).MatchString},
	// RFC 6570: expressions stand in braces, and do not nest.
	"uri-template": {"a URI template", regexp.MustCompile(`^([^{}]|\{[^{}]+\})+$`).MatchString},
	// ISO 8601, of which a date that begins with its year, extended or basic.
	"timestamp": {"an ISO 8601 timestamp", regexp.MustCompile(`^\d{4}-?\d\d-?\d\d`).MatchString},
	// RFC 2045: a type and a subtype.
	"mime-type": {"a MIME type", regexp.MustCompile(`^[^/\s]+/[^/\s]`).MatchString},
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}

// Compile implements jsonschema.ExtCompiler.
func (formats) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	name, ok := m["format"].(string)
	if !ok {
		return nil, nil
	}
	if _, known := checks[name]; !known {
		return nil, fmt.Errorf("there is no format %q", name)
	}
	return format(name), nil
}

// format is one of checks, by its name.
type format string

// Validate implements jsonschema.ExtSchema.
func (f format) Validate(ctx jsonschema.ValidationContext, v any) error {
	text, ok := v.(string)
	check := checks[string(f)]
	if !ok || check.ok(text) {
		return nil
	}
	return ctx.Error("format", "expected %s, but got %q", check.name, clip(strings.ToValidUTF8(text, "�"), 60))
}
