package mcp

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const transportsPage = "2025-11-25/basic/transports"

// taken judges the HTTP answer to what asks for none.
func taken(c *conformance.Check, resp *transport.RawResponse, what string) {
	if resp.Status >= http.StatusBadRequest {
		c.NotVerified("the server does not accept %s: HTTP status %d", what, resp.Status)
	}
	c.That(resp.Status == http.StatusAccepted, "HTTP status 202 to "+what, "%d", resp.Status)
	c.That(len(bytes.TrimSpace(resp.Body)) == 0, "no body in the answer to "+what, "%q", clip(string(resp.Body), 200))
}

func notificationAccepted() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.notification-accepted", Title: "an accepted notification is answered with 202 and no body", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.Must, Revisions: since(mcp.Rev2503), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "A notification that the server accepts must be answered with HTTP status 202 and no body.",
				URL:  page(transportsPage + "#sending-messages-to-the-server"),
			},
			Fix: "Answer a POST that holds no request with 202 and an empty body.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			raw := wire.Notification("notifications/cancelled", s.Params([]byte(`{"requestId":"peerwright-never-sent"}`)))
			resp, _ := s.post(ctx, c, raw, nil)
			taken(c, resp, "a notification")
		}),
	}
}

func responseAccepted() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.response-accepted", Title: "an accepted response is answered with 202 and no body", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.Must, Revisions: only(mcp.Rev2503, mcp.Rev2506, mcp.Rev2511), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "A response that the server accepts must be answered with HTTP status 202 and no body.",
				URL:  page(transportsPage + "#sending-messages-to-the-server"),
			},
			Fix: "Answer a POST that holds no request with 202 and an empty body.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			resp, _ := s.post(ctx, c, wire.Result(wire.StringID("peerwright-never-asked"), []byte(`{}`)), nil)
			taken(c, resp, "a response")
		}),
	}
}

func getStream() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.get-stream", Title: "GET opens an event stream or is answered with 405", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.Must, Revisions: only(mcp.Rev2503, mcp.Rev2506, mcp.Rev2511), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "GET must be answered with an event stream, or with HTTP status 405 where the server offers none.",
				URL:  page(transportsPage + "#listening-for-messages-from-the-server"),
			},
			Fix: "Answer GET with 405 when you send nothing by yourself; clients take other statuses for a broken server.",
		},
		Isolated: true, // the stream takes what the server sends
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			status, header := s.get(ctx, c)
			stream := status == http.StatusOK && transport.MediaType(header) == "text/event-stream"
			c.That(stream || status == http.StatusMethodNotAllowed, "an event stream or HTTP status 405 to GET",
				"HTTP status %d and content type %q", status, header.Get("Content-Type"))
		}),
	}
}

// get asks for the stream that a legacy server may have, and closes it again.
func (s *Session) get(ctx context.Context, c *conformance.Check) (int, http.Header) {
	conn := s.httpConn(c)
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	d, err := conn.OpenStream(ctx, "")
	if ctx.Err() != nil {
		c.NotVerified("GET was not answered within a second: a server that sends no head before its first event cannot be told from one that hangs")
	}
	c.Answered(err, "an HTTP GET")
	conn.Cancel(d.Exchange)
	return d.Status, d.Header
}

func versionHeader() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.version-header", Title: "an unknown MCP-Protocol-Version is answered with 400", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.Must, Revisions: only(mcp.Rev2506, mcp.Rev2511), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "A request whose MCP-Protocol-Version header is invalid or not supported must be answered with HTTP status 400.",
				URL:  page(transportsPage + "#protocol-version-header"),
			},
			Fix: "Check the header of each request after initialize against the versions that you support.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			resp, m := s.post(ctx, c, s.good(id), http.Header{"Mcp-Protocol-Version": {neverWas}})
			c.That(resp.Status == http.StatusBadRequest, "HTTP status 400 to the version "+neverWas, "%v", answerOf(resp, m))
		}),
	}
}

func acceptWildcard() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.accept-wildcard", Title: "Accept: */* is taken for both content types", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.May, Revisions: since(mcp.Rev2503), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "In HTTP the range */* includes every media type, JSON and event streams among them. MCP demands of clients that they name both, so that a server may insist on that.",
				URL:  "https://www.rfc-editor.org/rfc/rfc9110#name-accept",
			},
			Fix: "Match the Accept header by the rules of HTTP instead of looking for two strings in it.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			resp, m := s.post(ctx, c, s.good(id), http.Header{"Accept": {"*/*"}})
			c.That(m.Result != nil, "a result to a request with Accept: */*", "%v", answerOf(resp, m))
		}),
	}
}

// foreign is an Origin that no server has reason to let through.
const foreign = "https://peerwright-origin.example"

// fromAbroad sends a good request as a page of another site would.
func (s *Session) fromAbroad(ctx context.Context, c *conformance.Check) Answer {
	id := s.NextID()
	resp, m := s.post(ctx, c, s.good(id), http.Header{"Origin": {foreign}})
	return answerOf(resp, m)
}

func originRefused() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.security.origin", Title: "a local server refuses requests of foreign web pages", Protocol: conformance.MCP,
			Area: conformance.Security, Level: reporters.Must, Revisions: since(mcp.Rev2503), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "Servers must validate the Origin header, so that a web page cannot reach a local server through a name that it controls. (Which origins are good is up to a server on the network: only one on this machine is judged.)",
				URL:  page(transportsPage + "#security-warning"),
			},
			Fix: "Refuse requests whose Origin is neither missing nor one that you expect, with HTTP status 403.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.fromAbroad(ctx, c)
			if !a.turnedDown() && !onLoopback(s.endpoint()) {
				c.NotVerified("the server is not on this machine, and lets %s through", foreign)
			}
			c.That(a.turnedDown(), "a refusal of a request with Origin: "+foreign, "%v", a)
		}),
	}
}

func originStatus() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.security.origin-status", Title: "a bad Origin is answered with 403", Protocol: conformance.MCP,
			Area: conformance.Security, Level: reporters.Must, Revisions: since(mcp.Rev2511), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "A request whose Origin is not valid must be answered with HTTP status 403.",
				URL:  page(transportsPage + "#security-warning"),
			},
			Fix: "Answer with 403 where you refuse an Origin.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.fromAbroad(ctx, c)
			if !a.turnedDown() {
				c.NotVerified("the server does not refuse %s: see mcp.security.origin", foreign)
			}
			c.That(a.Delivery.Status == http.StatusForbidden, "HTTP status 403 to Origin: "+foreign, "%v", a)
		}),
	}
}

func onLoopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
