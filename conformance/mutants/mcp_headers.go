package mutants

import (
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpHeaders are servers that do not compare the headers of 2026-07-28 with the body
// as they must.
func mcpHeaders() []Mutant {
	return []Mutant{
		{
			ID: "method-header-unread", Doc: "the header Mcp-Method may differ from the method",
			Kills: []string{"mcp.framing.method-header"}, Revision: mcp.Rev2607,
			Wrap: mirrored("Mcp-Method", func(m wire.Message) string { return m.Method }),
		},
		{
			ID: "method-header-optional", Doc: "the header Mcp-Method may be missing",
			Kills: []string{"mcp.framing.missing-method-header"}, Revision: mcp.Rev2607,
			Wrap: reheaded(func(r *http.Request, m wire.Message) {
				if len(r.Header.Values("Mcp-Method")) == 0 && r.Header.Get("Mcp-Protocol-Version") == mcp.Rev2607 {
					r.Header.Set("Mcp-Method", m.Method)
				}
			}),
		},
		{
			ID: "version-header-unread", Doc: "the header MCP-Protocol-Version may differ from the version in the body",
			Kills: []string{"mcp.framing.version-mismatch"}, Revision: mcp.Rev2607,
			Wrap: mirrored("Mcp-Protocol-Version", func(m wire.Message) string {
				version, _ := wire.Text(wire.Path(m.Params, "_meta", mcp.MetaVersion))
				return version
			}),
		},
		{
			ID: "name-header-unread", Doc: "the header Mcp-Name may differ from the name",
			Kills: []string{"mcp.framing.name-header"}, Revision: mcp.Rev2607,
			Wrap: mirrored("Mcp-Name", func(m wire.Message) string {
				for _, member := range []string{"name", "uri"} {
					if name, ok := wire.Text(wire.Get(m.Params, member)); ok {
						return name
					}
				}
				return ""
			}),
		},
		{
			ID: "name-header-undecoded", Doc: "an Mcp-Name in base64 is compared as it stands",
			Kills: []string{"mcp.framing.encoded-name"}, Revision: mcp.Rev2607,
			Wrap: reheaded(func(r *http.Request, _ wire.Message) {
				if name := r.Header.Get("Mcp-Name"); strings.HasPrefix(name, "=?base64?") {
					r.Header.Set("Mcp-Name", "undecoded "+name)
				}
			}),
		},
		{
			ID: "session-minted", Doc: "a session id is handed out in 2026-07-28",
			Kills: []string{"mcp.framing.no-session-minted"}, Revision: mcp.Rev2607,
			Wrap: headed(func(_ *http.Request, _ wire.Message, status int, h http.Header) int {
				h.Set("Mcp-Session-Id", "5f0c1e")
				return status
			}),
		},
		{
			ID: "session-looked-up", Doc: "an Mcp-Session-Id that is not known is answered with 404 by a server of 2026-07-28 alone",
			Kills: []string{"mcp.framing.session-ignored"}, Revision: mcp.Rev2607, Server: mcppeer.Options{ModernOnly: true},
			Wrap: reply(func(r *http.Request, _ wire.Message) bool { return r.Header.Get("Mcp-Session-Id") != "" },
				http.StatusNotFound, "text/plain", "session not found"),
		},
		{
			ID: "delete-not-found", Doc: "DELETE is answered with 404 by a server of 2026-07-28 alone",
			Kills: []string{"mcp.framing.other-http-methods"}, Revision: mcp.Rev2607, Server: mcppeer.Options{ModernOnly: true},
			Wrap: reply(byMethod(http.MethodDelete), http.StatusNotFound, "text/plain", "not found"),
		},
	}
}

// mcpStatuses are servers whose errors come with another status than 2026-07-28 asks
// for.
func mcpStatuses() []Mutant {
	return []Mutant{
		{
			ID: "unknown-method-is-ok", Doc: "the error -32601 has status 200",
			Kills: []string{"mcp.framing.status-unknown-method"}, Revision: mcp.Rev2607,
			Wrap: restatus(http.StatusNotFound, http.StatusOK),
		},
		{
			ID: "unsupported-version-is-ok", Doc: "the error -32022 has status 200",
			Kills: []string{"mcp.framing.status-unsupported-version"}, Revision: mcp.Rev2607,
			Wrap: okay(func(m wire.Message) bool {
				version, ok := wire.Text(wire.Path(m.Params, "_meta", mcp.MetaVersion))
				return ok && isNoRevision(version)
			}),
		},
		{
			ID: "missing-meta-is-ok", Doc: "the error about a missing member of _meta has status 200",
			Kills: []string{"mcp.framing.status-missing-meta"}, Revision: mcp.Rev2607,
			Wrap: okay(func(m wire.Message) bool {
				return wire.Path(m.Params, "_meta", mcp.MetaVersion) != nil && wire.Path(m.Params, "_meta", mcp.MetaCapabilities) == nil
			}),
		},
	}
}

// mirrored makes a Wrap that sets a header to what it should be, where it is there.
func mirrored(header string, value func(m wire.Message) string) func(http.Handler) http.Handler {
	return reheaded(func(r *http.Request, m wire.Message) {
		if r.Header.Get(header) != "" && value(m) != "" {
			r.Header.Set(header, value(m))
		}
	})
}

// okay makes a Wrap that answers the requests picked with status 200.
func okay(pick func(m wire.Message) bool) func(http.Handler) http.Handler {
	return headed(func(_ *http.Request, m wire.Message, status int, _ http.Header) int {
		if m.Kind == wire.KindRequest && pick(m) {
			return http.StatusOK
		}
		return status
	})
}
