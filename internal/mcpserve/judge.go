package mcpserve

import (
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// judge judges the client's messages before the SDK sees them.
type judge struct {
	modernOnly, toolsOnly bool
	cursors               cursors
}

// speaks lists the revisions that the server has, newest first.
func (j judge) speaks() []string {
	if j.modernOnly {
		return []string{revModern}
	}
	return supported()
}

// has tells whether the server has the method in that era.
func (j judge) has(name string, e era) bool {
	known, ok := methods[name]
	if !ok || !slices.Contains(known.eras, e) || (j.modernOnly && e == legacyEra) {
		return false
	}
	return !j.toolsOnly || strings.HasPrefix(name, "tools/") ||
		slices.Contains([]string{"initialize", "ping", "server/discover", "subscriptions/listen"}, name)
}

// method judges the method and its parameters.
func (j judge) method(m wire.Message, e era) *fault {
	if !j.has(m.Method, e) {
		return faultf(codeMethodNotFound, "method not found: %q", m.Method)
	}
	if f := checkMeta(m.Params); f != nil {
		return f
	}
	if cursor := wire.Get(m.Params, "cursor"); isList(m.Method) && cursor != nil {
		if _, ok := j.cursors.open(m.Method, cursor); !ok {
			return faultf(codeInvalidParams, "invalid params: this server never gave out that cursor")
		}
	}
	return methods[m.Method].params(m.Params)
}

// modern judges what every request of 2026-07-28 carries, and the rest of it.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation
func (j judge) modern(m wire.Message) *fault {
	meta := wire.Get(m.Params, "_meta")
	version, ok := wire.Text(wire.Get(meta, metaVersion))
	if !ok {
		return faultf(codeInvalidParams, "invalid params: _meta must name %s", metaVersion)
	}
	if version != revModern {
		return j.unsupported(version)
	}
	if level := wire.Get(meta, metaLogLevel); level != nil && !isLevel(level) {
		return faultf(codeInvalidParams, "invalid params: %s must be one of %v", metaLogLevel, levels())
	}
	return first(needObject(meta, metaCapabilities), j.method(m, modernEra))
}

// legacy judges one message within a session.
func (j judge) legacy(m wire.Message) *fault {
	if flt := checkEnvelope(m); flt != nil {
		return flt
	}
	switch {
	case m.Kind == wire.KindBatch:
		return faultf(codeInvalidRequest, "invalid request: only revision %s has batches", rev2025a)
	case m.Kind != wire.KindRequest:
		return nil
	case m.Method == "initialize":
		return faultf(codeInvalidRequest, "invalid request: the session is open already")
	}
	return j.method(m, legacyEra)
}

// initialize refuses an initialize where there are no revisions that open with
// one, and names those that there are.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions
func (j judge) initialize(m wire.Message) *fault {
	if !j.modernOnly || m.Kind != wire.KindRequest || m.Method != "initialize" {
		return nil
	}
	requested, _ := wire.Text(wire.Get(m.Params, "protocolVersion")) // any text will do
	return j.unsupported(requested)
}

// unsupported says which revisions there are, in place of the one asked for.
func (j judge) unsupported(requested string) *fault {
	f := faultf(codeUnsupportedVersion, "unsupported protocol version %q; this server speaks %s", requested, strings.Join(j.speaks(), ", "))
	f.data, _ = wire.Marshal(map[string]any{"supported": j.speaks(), "requested": requested}) // strings always marshal
	return f
}
