package mcp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/reporters"
)

// speaksLegacy tells whether a server of 2026-07-28 serves earlier revisions too:
// it says so, or it answers initialize.
func (s *Session) speaksLegacy(ctx context.Context, c *conformance.Check) bool {
	return s.dualEra() || s.Bare(ctx, c).Attempt(ctx, c, "initialize", hello(mcp.Rev2511)).Message.Result != nil
}

func noSessionMinted() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("no-session-minted", "no session id is handed out", reporters.Should,
			"2026-07-28 has no sessions: servers should not hand out an Mcp-Session-Id.",
			"#earlier-streamable-http-revisions", "Set Mcp-Session-Id only in the answer to initialize."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			resp, _ := s.post(ctx, c, s.good(id), nil)
			c.That(resp.Header.Get("Mcp-Session-Id") == "", "no Mcp-Session-Id in the answer", "%q", resp.Header.Get("Mcp-Session-Id"))
		}),
	}
}

func sessionIgnored() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("session-ignored", "an Mcp-Session-Id that a client sends is ignored", reporters.Should,
			"A server of 2026-07-28 alone should ignore an Mcp-Session-Id, and not send it back.",
			"#earlier-streamable-http-revisions", "Do not look at Mcp-Session-Id."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			if s.speaksLegacy(ctx, c) {
				c.NotVerified("the server speaks legacy revisions too, which have sessions")
			}
			id := s.NextID()
			resp, m := s.post(ctx, c, s.good(id), http.Header{"Mcp-Session-Id": {noSuch}})
			c.That(m.Result != nil, "a result, whatever Mcp-Session-Id says", "%v", answerOf(resp, m))
			c.That(resp.Header.Get("Mcp-Session-Id") == "", "no Mcp-Session-Id in the answer", "%q", resp.Header.Get("Mcp-Session-Id"))
		}),
	}
}

func otherHTTPMethods() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("other-http-methods", "GET and DELETE are answered with 405", reporters.Should,
			"A server of 2026-07-28 alone should answer GET and DELETE with HTTP status 405.",
			"#earlier-streamable-http-revisions", "Route POST only, and answer 405 to every other method."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			if s.speaksLegacy(ctx, c) {
				c.NotVerified("the server speaks legacy revisions too, which have GET and DELETE")
			}
			status, _ := s.get(ctx, c)
			c.That(status == http.StatusMethodNotAllowed, "HTTP status 405 to GET", "%d", status)
			resp, err := s.httpConn(c).Do(ctx, http.MethodDelete, nil, nil)
			c.Answered(err, "an HTTP DELETE")
			c.That(resp.Status == http.StatusMethodNotAllowed, "HTTP status 405 to DELETE", "%d", resp.Status)
		}),
	}
}

// status judges with which HTTP status an error came; without the error there is
// nothing to judge.
func (a Answer) status(c *conformance.Check, want int, code int64) {
	if a.Code() != code {
		c.NotVerified("the server does not answer with the error %d, but with %v", code, a)
	}
	c.That(a.Delivery.Status == want, fmt.Sprintf("HTTP status %d with the error %d", want, code), "%v", a)
}

func statusUnknownMethod() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("status-unknown-method", "an unknown method has HTTP status 404", reporters.Must,
			"A method that the server does not implement must be answered with HTTP status 404 and the error -32601.",
			"#protocol-version-header", "Set status 404 with the error -32601."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.Attempt(ctx, c, noSuchMethod, nil).status(c, http.StatusNotFound, codeNoMethod)
		}),
	}
}

func statusUnsupportedVersion() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("status-unsupported-version", "an unsupported version has HTTP status 400", reporters.Must,
			"A version that the server does not implement must be answered with HTTP status 400 and the error -32022.",
			"#protocol-version-header", "Set status 400 with the error -32022."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.ofNoVersion(ctx, c).status(c, http.StatusBadRequest, mcp.CodeUnsupportedVersion)
		}),
	}
}

func statusMissingMeta() conformance.Case {
	m := headerMeta("status-missing-meta", "a request that lacks its metadata has HTTP status 400", reporters.Must,
		"A request whose _meta lacks a required member must be answered with HTTP status 400 and the error -32602.",
		"", "Set status 400 with the error -32602 for missing metadata.")
	m.Rule.URL = page("2026-07-28/basic#meta")
	return conformance.Case{
		Meta: m,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.lacks(ctx, mcp.MetaCapabilities).status(c, http.StatusBadRequest, codeInvalidParams)
		}),
	}
}
