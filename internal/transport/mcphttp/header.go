package mcphttp

import (
	"net/http"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// postHeader returns the headers that the message travels with, and whether it is of
// a stateless revision: it says so itself, or the conversation is.
func (c *Conn) postHeader(msg wire.Message) (h http.Header, modern bool) {
	h = http.Header{"Accept": {typeJSON + ", " + typeSSE}, "Accept-Encoding": {transport.Uncoded}, "Content-Type": {typeJSON}}
	version := bodyVersion(msg)
	if version == "" && !c.isModern() {
		c.addLegacy(h, msg.Method == "initialize")
		return h, false
	}
	c.addModern(h, msg, version)
	return h, true
}

// listenHeader returns the headers of a GET for a stream.
func (c *Conn) listenHeader(lastEventID string) http.Header {
	h := http.Header{"Accept": {typeSSE}, "Accept-Encoding": {transport.Uncoded}}
	if lastEventID != "" {
		h.Set(headerLastEvent, lastEventID)
	}
	c.addLegacy(h, false)
	return h
}

// addLegacy adds the session and, once it is agreed on, the revision.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
func (c *Conn) addLegacy(h http.Header, initialize bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != "" && !isModern(c.revision) {
		h.Set(headerSession, c.session)
	}
	if c.revision >= firstWithVersionHeader && !initialize {
		h.Set(headerVersion, c.revision)
	}
}

// addModern mirrors what intermediaries may route by; version is the one that the
// body names.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
func (c *Conn) addModern(h http.Header, msg wire.Message, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version == "" {
		version = c.revision
	}
	setSafe(h, headerVersion, version)
	setSafe(h, headerMethod, msg.Method)
	if name, ok := routeName(msg); ok {
		h.Set(headerName, EncodeHeader(name))
	}
	if msg.Method == "tools/call" {
		tool, _ := wire.Text(wire.Get(msg.Params, "name"))
		for _, p := range c.tools[tool] {
			if value, ok := p.Value(wire.Get(msg.Params, "arguments")); ok {
				h.Set(headerParam+p.Name, EncodeHeader(value))
			}
		}
	}
}

// setSafe sets a header for which the specification defines no encoding, unless
// the value cannot stand in a header at all.
func setSafe(h http.Header, name, value string) {
	if value != "" && EncodeHeader(value) == value {
		h.Set(name, value)
	}
}

// routeName returns what Mcp-Name repeats of the message.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers
func routeName(msg wire.Message) (string, bool) {
	var member string
	switch msg.Method {
	case "tools/call", "prompts/get":
		member = "name"
	case "resources/read":
		member = "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		member = "taskId" // SEP-2663, Streamable HTTP: Routing Headers
	default:
		return "", false
	}
	return wire.Text(wire.Get(msg.Params, member))
}

func (c *Conn) isModern() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return isModern(c.revision)
}

func bodyVersion(msg wire.Message) string {
	version, _ := wire.Text(wire.Path(msg.Params, "_meta", metaVersion))
	return version
}

// isModern tells whether a revision is 2026-07-28 or later.
func isModern(revision string) bool {
	_, err := time.Parse(time.DateOnly, revision)
	return err == nil && revision >= firstModern
}

// override returns own with the headers of over in place of its own; a nil value
// stays, and means that the header is left out.
func override(own, over http.Header) http.Header {
	for name, values := range over {
		own[http.CanonicalHeaderKey(name)] = values
	}
	return own
}

func opensSession(msg wire.Message) bool {
	return msg.Method == "initialize" && msg.Kind == wire.KindRequest
}

// requestIDs returns the ids of the requests in the message: the answers that the
// exchange owes.
func requestIDs(msg wire.Message) []wire.ID {
	switch msg.Kind {
	case wire.KindRequest:
		return []wire.ID{msg.ID}
	case wire.KindBatch:
		var ids []wire.ID
		for _, one := range msg.Batch {
			ids = append(ids, requestIDs(one)...)
		}
		return ids
	default:
		return nil
	}
}

// asksNothing tells whether the message is one that a peer takes without an answer.
func asksNothing(msg wire.Message) bool {
	for _, one := range msg.Batch {
		if !asksNothing(one) {
			return false
		}
	}
	return msg.Kind == wire.KindNotification || msg.IsResponse() || len(msg.Batch) > 0
}

// accepts tells whether an Accept header admits the media type. None admits all.
//
// https://www.rfc-editor.org/rfc/rfc9110#name-accept
func accepts(header http.Header, want string) bool {
	lines := header.Values("Accept")
	if len(lines) == 0 {
		return true
	}
	major, _, _ := strings.Cut(want, "/")
	for _, item := range strings.Split(strings.Join(lines, ","), ",") {
		kind, params, _ := strings.Cut(item, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "*/*", major + "/*", want:
			if !refused(params) {
				return true
			}
		}
	}
	return false
}

// refused tells whether the parameters give the type no weight at all.
func refused(params string) bool {
	for _, p := range strings.Split(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") && strings.Trim(strings.TrimSpace(value), "0.") == "" {
			return true
		}
	}
	return false
}
