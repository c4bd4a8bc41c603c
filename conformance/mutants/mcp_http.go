package mutants

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpHTTP are servers that take what is around a message wrongly.
func mcpHTTP() []Mutant {
	return []Mutant{
		{
			ID: "get-not-found", Doc: "GET is answered with 404",
			Kills: []string{"mcp.framing.get-stream"}, Revision: mcp.Rev2511,
			Wrap: reply(byMethod(http.MethodGet), http.StatusNotFound, "text/plain", "not found"),
		},
		{
			ID: "get-answers-json", Doc: "GET is answered with a JSON document",
			Kills: []string{"mcp.framing.get-stream"}, Revision: mcp.Rev2503,
			Wrap: reply(byMethod(http.MethodGet), http.StatusOK, "application/json", `{"status":"ok"}`),
		},
		{
			ID: "any-version-header", Doc: "the header MCP-Protocol-Version may hold anything",
			Kills: []string{"mcp.framing.version-header"}, Revision: mcp.Rev2511,
			Wrap: reheaded(func(r *http.Request, _ wire.Message) {
				if version := r.Header.Get("Mcp-Protocol-Version"); version != "" && isNoRevision(version) {
					r.Header.Set("Mcp-Protocol-Version", mcp.Rev2511)
				}
			}),
		},
		{
			ID: "accept-by-text", Doc: "Accept: */* is refused with 406",
			Kills: []string{"mcp.framing.accept-wildcard"}, Revision: mcp.Rev2511,
			Wrap: reply(func(r *http.Request, _ wire.Message) bool { return r.Header.Get("Accept") == "*/*" },
				http.StatusNotAcceptable, "text/plain", "Accept must list application/json and text/event-stream"),
		},
		{
			ID: "any-origin", Doc: "a request is served whatever web page it comes from",
			Kills: []string{"mcp.security.origin"}, Revision: mcp.Rev2511,
			Wrap: reheaded(func(r *http.Request, _ wire.Message) { r.Header.Del("Origin") }),
		},
		{
			ID: "origin-is-bad-request", Doc: "a foreign Origin is answered with 400",
			Kills: []string{"mcp.security.origin-status"}, Revision: mcp.Rev2607,
			Wrap: restatus(http.StatusForbidden, http.StatusBadRequest),
		},
		{
			ID: "batch-served", Doc: "a batch is served in 2025-11-25",
			Kills: []string{"mcp.framing.batch-refused"}, Revision: mcp.Rev2511, Wrap: servesBatches,
		},
		{
			ID: "batch-refused", Doc: "a batch is refused in 2025-03-26",
			Kills: []string{"mcp.framing.batch-answered"}, Revision: mcp.Rev2503,
			Wrap: reply(func(_ *http.Request, m wire.Message) bool { return m.Kind == wire.KindBatch },
				http.StatusBadRequest, "application/json", string(wire.Failure(wire.NullID, invalidRequest, "no batches", nil))),
		},
	}
}

// mcpSessions are servers that keep their HTTP sessions wrongly.
func mcpSessions() []Mutant {
	return []Mutant{
		{
			ID: "session-id-with-blank", Doc: "a session id has a blank in it",
			Kills: []string{"mcp.framing.session-id-characters"}, Revision: mcp.Rev2511,
			Wrap: resessioned(
				func(id string) string { return id[:4] + " " + id[4:] },
				func(id string) string { return strings.ReplaceAll(id, " ", "") }),
		},
		{
			ID: "unknown-session-is-bad-request", Doc: "a session id that never was is answered with 400",
			Kills: []string{"mcp.framing.unknown-session"}, Revision: mcp.Rev2511,
			Wrap: lostSessions(func(given, ended bool) bool { return !given && !ended }, http.StatusBadRequest),
		},
		{
			ID: "ended-session-is-bad-request", Doc: "the id of a session that was ended is answered with 400",
			Kills: []string{"mcp.framing.terminated-session"}, Revision: mcp.Rev2511,
			Wrap: lostSessions(func(_, ended bool) bool { return ended }, http.StatusBadRequest),
		},
		{
			ID: "missing-session-not-found", Doc: "a request without a session id is answered with 404",
			Kills: []string{"mcp.framing.missing-session"}, Revision: mcp.Rev2511,
			Wrap: headed(func(r *http.Request, m wire.Message, status int, _ http.Header) int {
				if r.Header.Get("Mcp-Session-Id") == "" && m.Method == "ping" && status == http.StatusBadRequest {
					return http.StatusNotFound
				}
				return status
			}),
		},
	}
}

// byMethod picks the requests of an HTTP method.
func byMethod(method string) when {
	return func(r *http.Request, _ wire.Message) bool { return r.Method == method }
}

// restatus makes a Wrap that gives one status in place of another.
func restatus(from, to int) func(http.Handler) http.Handler {
	return headed(func(_ *http.Request, _ wire.Message, status int, _ http.Header) int {
		if status == from {
			return to
		}
		return status
	})
}

// servesBatches takes a batch apart, and answers with the answers to its messages.
func servesBatches(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		if !ok {
			return
		}
		if m.Kind != wire.KindBatch {
			next.ServeHTTP(w, r)
			return
		}
		var answers [][]byte
		for _, one := range m.Batch {
			alone, got := r.Clone(r.Context()), httptest.NewRecorder()
			setBody(alone, one.Raw)
			next.ServeHTTP(got, alone)
			answers = append(answers, answerIn(got.Body.Bytes()))
		}
		sendJSON(w, append(append([]byte("["), bytes.Join(answers, []byte(","))...), ']'))
	})
}

// answerIn returns the message of the last event, or the body where it is no stream.
func answerIn(body []byte) []byte {
	events := wire.NewEventReader(bytes.NewReader(body), 0)
	for {
		e, err := events.Next()
		if err != nil {
			return body
		}
		if len(e.Data) > 0 {
			body = e.Data
		}
	}
}

// resessioned makes a Wrap that spells session ids otherwise: out towards the
// client, in towards the good peer.
func resessioned(out, in func(id string) string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		renamed := headed(func(_ *http.Request, _ wire.Message, status int, h http.Header) int {
			if id := h.Get("Mcp-Session-Id"); id != "" {
				h.Set("Mcp-Session-Id", out(id))
			}
			return status
		})(next)
		return reheaded(func(r *http.Request, _ wire.Message) {
			if id := r.Header.Get("Mcp-Session-Id"); id != "" {
				r.Header.Set("Mcp-Session-Id", in(id))
			}
		})(renamed)
	}
}

// lostSessions makes a Wrap that answers with another status than 404 where the
// session is one of those picked: it was given out once, and ended since.
func lostSessions(pick func(given, ended bool) bool, other int) func(http.Handler) http.Handler {
	var given, ended sync.Map // by session id
	return headed(func(r *http.Request, _ wire.Message, status int, h http.Header) int {
		if id := h.Get("Mcp-Session-Id"); id != "" {
			given.Store(id, true)
		}
		id := r.Header.Get("Mcp-Session-Id")
		_, wasGiven := given.Load(id)
		_, hasEnded := ended.Load(id)
		if r.Method == http.MethodDelete {
			ended.Store(id, true)
		}
		if status == http.StatusNotFound && id != "" && pick(wasGiven, hasEnded) {
			return other
		}
		return status
	})
}
