package mcp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

func over(w func(http.Handler) http.Handler) *scripted {
	return &scripted{http: scriptedHTTP{wrap: w}}
}

func TestSessions(t *testing.T) {
	spaced := func(h http.Handler) http.Handler {
		return session(func(id string, _ wire.Message) string { return strings.ReplaceAll(id, "s s", "s") })(rewriteSession(h))
	}
	anyID := func(id string, m wire.Message) string {
		if m.Method != "initialize" && id != "" && !strings.HasPrefix(id, "s") {
			return "s1"
		}
		return ""
	}
	noID := func(id string, m wire.Message) string {
		if m.Method != "initialize" && id == "" {
			return "s1"
		}
		return ""
	}
	w := way{"http", mcp.Rev2511}
	judge(t, sessionIDCharacters(), row{"a space", over(spaced), w, reporters.Failed, "s s1"})
	judge(t, unknownSession(),
		row{"400", over(forcedStatus(404, 400)), w, reporters.Warned, "HTTP status 400"},
		row{"any", over(session(anyID)), w, reporters.NotVerified, "any session id"})
	judge(t, missingSession(),
		row{"404", over(forcedStatus(400, 404)), w, reporters.Warned, "HTTP status 404"},
		row{"not required", over(session(noID)), w, reporters.NotVerified, "does not require"})
	judge(t, terminatedSession(),
		row{"400", over(forcedStatus(404, 400)), w, reporters.Failed, "HTTP status 400"},
		row{"lives on", over(onMethod(http.MethodDelete, "text/plain", "")), w, reporters.Failed, "result"},
		row{"405", &scripted{http: scriptedHTTP{noDelete: true}}, w, reporters.NotVerified, "405"})
	judge(t, unknownSession(), row{"no sessions", &scripted{http: scriptedHTTP{noSessions: true}}, w, reporters.NotApplicable, "no HTTP session"})
}

// rewriteSession hands out session ids with a space in them.
func rewriteSession(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&sessionWriter{w}, r)
	})
}

type sessionWriter struct{ http.ResponseWriter }

func (w *sessionWriter) WriteHeader(status int) {
	if id := w.Header().Get("Mcp-Session-Id"); id != "" {
		w.Header().Set("Mcp-Session-Id", "s "+id)
	}
	w.ResponseWriter.WriteHeader(status)
}

func TestHeaders(t *testing.T) {
	w := way{"http", mcp.Rev2607}
	method := heals("Mcp-Method", func(m wire.Message) string { return m.Method })
	version := heals("Mcp-Protocol-Version", func(m wire.Message) string {
		v, _ := wire.Text(wire.Path(m.Params, "_meta", mcp.MetaVersion))
		return v
	})
	name := heals("Mcp-Name", func(m wire.Message) string {
		n, _ := wire.Text(wire.Get(m.Params, "name"))
		u, _ := wire.Text(wire.Get(m.Params, "uri"))
		return n + u
	})
	oldCode := rewrites("-32020", "-32001")
	judge(t, methodHeader(),
		row{"unread", over(method), w, reporters.Failed, "result"},
		row{"the code of a draft", over(oldCode), w, reporters.Failed, "-32001"},
		row{"status 200", over(forcedStatus(400, 200)), w, reporters.Failed, "HTTP status 200"})
	judge(t, missingMethodHeader(),
		row{"unread", over(method), w, reporters.Failed, "result"})
	judge(t, versionMismatch(),
		row{"unread", over(version), w, reporters.Failed, "result"},
		row{"-32022", over(rewrites("-32020", "-32022")), w, reporters.Passed, ""},
		row{"status 200", over(forcedStatus(400, 200)), w, reporters.Failed, "HTTP status 200"})
	judge(t, nameHeader(),
		row{"unread", over(name), w, reporters.Failed, "result"},
		row{"the code of a draft", over(oldCode), w, reporters.Failed, "-32001"},
		row{"nothing to name", &scripted{lacks: []string{"tools", "resources", "prompts"}}, w, reporters.NotVerified, "by name"})
	judge(t, encodedName(),
		row{"not decoded", over(before(refusesSentinels)), w, reporters.Failed, "-32020"})
	for _, lacks := range [][]string{{"resources"}, {"resources", "prompts"}} {
		judge(t, nameHeader(),
			row{"unread without " + strings.Join(lacks, " and "), &scripted{lacks: lacks, http: scriptedHTTP{wrap: name}}, w, reporters.Failed, "result"})
	}
}

func refusesSentinels(w http.ResponseWriter, r *http.Request, m wire.Message) bool {
	if !strings.HasPrefix(r.Header.Get("Mcp-Name"), "=?base64?") {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(wire.Failure(m.ID, mcp.CodeHeaderMismatch, "Mcp-Name", nil))
	return true
}

func TestModernHTTP(t *testing.T) {
	w := way{"http", mcp.Rev2607}
	one := func(wrap func(http.Handler) http.Handler) *scripted {
		return &scripted{era: "modern", http: scriptedHTTP{wrap: wrap}}
	}
	mints := func(h http.Handler) http.Handler {
		return before(func(w http.ResponseWriter, _ *http.Request, _ wire.Message) bool {
			w.Header().Set("Mcp-Session-Id", "s1")
			return false
		})(h)
	}
	judge(t, noSessionMinted(), row{"minted", over(mints), w, reporters.Warned, "s1"})
	judge(t, sessionIgnored(),
		row{"looked at", one(before(wantsNoSession)), w, reporters.Warned, "HTTP status 404"},
		row{"echoed", one(mints), w, reporters.Warned, "s1"},
		row{"both eras", &scripted{}, w, reporters.NotVerified, "legacy revisions too"})
	judge(t, otherHTTPMethods(),
		row{"GET", one(onMethod(http.MethodGet, "text/event-stream", ":\n\n")), w, reporters.Warned, "200"},
		row{"DELETE", one(onMethod(http.MethodDelete, "text/plain", "")), w, reporters.Warned, "200"},
		row{"both eras", &scripted{}, w, reporters.NotVerified, "legacy revisions too"})
	judge(t, statusUnknownMethod(),
		row{"200", over(forcedStatus(404, 200)), w, reporters.Failed, "HTTP status 200"},
		row{"another code", instead(noSuchMethod, fails(-32602)), w, reporters.NotVerified, "-32602"})
	judge(t, statusUnsupportedVersion(), row{"200", over(forcedStatus(400, 200)), w, reporters.Failed, "HTTP status 200"})
	judge(t, statusMissingMeta(), row{"200", over(forcedStatus(400, 200)), w, reporters.Failed, "HTTP status 200"})
}

func wantsNoSession(w http.ResponseWriter, r *http.Request, _ wire.Message) bool {
	if r.Header.Get("Mcp-Session-Id") == "" {
		return false
	}
	http.Error(w, "no such session", http.StatusNotFound)
	return true
}
