package mcp

import (
	"context"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/reporters"
)

// sessionMeta is what the rules of HTTP sessions have in common.
func sessionMeta(id, title string, level reporters.Level, rule, fix string) conformance.Meta {
	return conformance.Meta{
		ID: "mcp.framing." + id, Title: title, Protocol: conformance.MCP, Area: conformance.Framing, Level: level,
		Revisions: only(mcp.Rev2503, mcp.Rev2506, mcp.Rev2511), Needs: []conformance.Feature{Sessions},
		Rule: reporters.Rule{Text: rule, URL: page(transportsPage + "#session-management")}, Fix: fix,
	}
}

func sessionIDCharacters() conformance.Case {
	return conformance.Case{
		Meta: sessionMeta("session-id-characters", "a session id is visible ASCII", reporters.Must,
			"A session id must only have characters from 0x21 to 0x7E.",
			"Take a UUID or another token without spaces and control characters."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			bad := strings.IndexFunc(s.Facts.Session, func(r rune) bool { return r < 0x21 || r > 0x7e })
			c.That(bad < 0, "visible ASCII only in the session id", "%q", s.Facts.Session)
		}),
	}
}

func unknownSession() conformance.Case {
	return conformance.Case{
		Meta: sessionMeta("unknown-session", "a session id that is not known is answered with 404", reporters.May,
			"A request with the id of a session that has ended must be answered with HTTP status 404. Of one that is not known the specification says nothing; but a server that was restarted cannot tell the two apart, and clients begin a new session on 404 alone.",
			"Answer 404 whenever there is no session of that id; on 404 clients begin a new one."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			resp, m := s.post(ctx, c, s.good(id), http.Header{"Mcp-Session-Id": {other(s.Facts.Session)}})
			if m.Result != nil {
				c.NotVerified("the server answers under any session id")
			}
			c.That(resp.Status == http.StatusNotFound, "HTTP status 404 to an unknown session id", "%v", answerOf(resp, m))
		}),
	}
}

// other makes a session id of the same form: each digit and letter is replaced by a
// neighbour.
func other(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r < '9', r >= 'a' && r < 'f', r >= 'A' && r < 'F':
			return r + 1
		case r == '9', r == 'f', r == 'F':
			return r - 1
		case r > 'f' && r <= 'z', r > 'F' && r <= 'Z':
			return r - 1
		}
		return r
	}, id)
}

func missingSession() conformance.Case {
	return conformance.Case{
		Meta: sessionMeta("missing-session", "a request without a session id is answered with 400", reporters.Should,
			"A server that requires a session id should answer a request without one, initialize aside, with HTTP status 400.",
			"Tell a missing session id (400) from one that is not known (404)."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			resp, m := s.post(ctx, c, s.good(id), http.Header{"Mcp-Session-Id": nil})
			if m.Result != nil {
				c.NotVerified("the server does not require a session id")
			}
			c.That(resp.Status == http.StatusBadRequest, "HTTP status 400 to a request without a session id", "%v", answerOf(resp, m))
		}),
	}
}

func terminatedSession() conformance.Case {
	return conformance.Case{
		Meta: sessionMeta("terminated-session", "a session that was ended is answered with 404", reporters.Must,
			"Once a session is terminated, requests with its id must be answered with HTTP status 404.",
			"Forget a session on DELETE, and answer 404 to its id from then on."),
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			status, err := s.httpConn(c).Delete(ctx)
			c.Answered(err, "an HTTP DELETE")
			if status < 200 || status > 299 {
				c.NotVerified("the server does not let clients end sessions: it answers DELETE with HTTP status %d", status)
			}
			id := s.NextID()
			resp, m := s.post(ctx, c, s.good(id), nil)
			c.That(resp.Status == http.StatusNotFound, "HTTP status 404 to the id of a session that was ended", "%v", answerOf(resp, m))
		}),
	}
}
