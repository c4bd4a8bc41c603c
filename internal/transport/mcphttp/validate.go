package mcphttp

import (
	"net/http"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// checkModern compares the headers of a 2026-07-28 message with its body. What
// headers a notification carries the revision leaves open, so theirs must agree only
// where they are there.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
func (o ServerOptions) checkModern(h http.Header, msg wire.Message, version string) error {
	switch msg.Kind {
	case wire.KindRequest, wire.KindNotification:
	default:
		return fault(http.StatusBadRequest, codeInvalidRequest, "the body must be one request or notification").to(wire.NullID)
	}
	if err := o.checkVersion(h, msg, version); err != nil {
		return err.to(msg.ID)
	}
	if err := checkMirror(h, headerMethod, msg.Method, msg.Kind == wire.KindRequest, plainValue); err != nil {
		return err.to(msg.ID)
	}
	if name, ok := routeName(msg); ok {
		required := !strings.HasPrefix(msg.Method, "tasks/") // SEP-2663 asks it of the client alone
		if err := checkMirror(h, headerName, name, required, DecodeHeader); err != nil {
			return err.to(msg.ID)
		}
	}
	if err := o.checkParams(h, msg); err != nil {
		return err.to(msg.ID)
	}
	return nil
}

func (o ServerOptions) checkVersion(h http.Header, msg wire.Message, body string) *refusal {
	header := h.Get(headerVersion)
	required := msg.Kind == wire.KindRequest
	switch {
	case header == "" && (required || body == ""):
		return mismatch("header %s is missing", headerVersion)
	case body == "" && required:
		return fault(http.StatusBadRequest, codeInvalidParams, "_meta has no %s", metaVersion)
	case header != body && header != "" && body != "":
		return mismatch("header %s is %q, but the body says %q", headerVersion, header, body)
	}
	version := header
	if version == "" {
		version = body
	}
	if !isModern(version) || !slices.Contains(o.Revisions, version) {
		return o.unsupported(msg.ID, version)
	}
	return nil
}

func mismatch(format string, args ...any) *refusal {
	return fault(http.StatusBadRequest, codeHeaderMismatch, "header mismatch: "+format, args...)
}

// checkMirror compares one header with the value that the body has.
func checkMirror(h http.Header, name, want string, required bool, decode func(string) (string, error)) *refusal {
	values := h.Values(name)
	switch {
	case len(values) == 0 && !required:
		return nil
	case len(values) == 0:
		return mismatch("header %s is missing", name)
	case len(values) > 1:
		return mismatch("header %s stands %d times", name, len(values))
	}
	got, err := decode(values[0])
	if err != nil {
		return mismatch("%s: %v", name, err)
	}
	if got != want {
		return mismatch("header %s is %q, but the body says %q", name, got, want)
	}
	return nil
}

func plainValue(s string) (string, error) { return s, nil }

// checkParams compares the headers that the tool asks for with its arguments.
func (o ServerOptions) checkParams(h http.Header, msg wire.Message) *refusal {
	if msg.Method != "tools/call" || o.ToolParams == nil {
		return nil
	}
	tool, _ := wire.Text(wire.Get(msg.Params, "name"))
	for _, p := range o.ToolParams(tool) {
		arguments := wire.Get(msg.Params, "arguments")
		value, there := p.Value(arguments)
		if !there {
			continue
		}
		decode := DecodeHeader
		if raw := wire.Path(arguments, p.Path...); raw[0] != '"' {
			decode = decodeNumber
		}
		if err := checkMirror(h, headerParam+p.Name, value, true, decode); err != nil {
			return err
		}
	}
	return nil
}

// decodeNumber decodes a header, and spells a whole number without its fraction:
// 42.0 is 42.
func decodeNumber(header string) (string, error) {
	value, err := DecodeHeader(header)
	if text, whole := integerText(value); err == nil && whole {
		return text, nil
	}
	return value, err
}
