package mcp

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// framingCases check how messages travel: lines, batches, and what HTTP adds.
func framingCases() []conformance.Case {
	return []conformance.Case{
		batchRefused(), batchAnswered(), longMessage(),
		notificationAccepted(), responseAccepted(), getStream(), versionHeader(), acceptWildcard(),
		sessionIDCharacters(), unknownSession(), missingSession(), terminatedSession(),
		originRefused(), originStatus(),
		methodHeader(), missingMethodHeader(), versionMismatch(), nameHeader(), encodedName(),
		noSessionMinted(), sessionIgnored(), otherHTTPMethods(),
		statusUnknownMethod(), statusUnsupportedVersion(), statusMissingMeta(),
		exitsOnEOF(),
	}
}

// batch joins messages into a JSON-RPC batch.
func batch(messages ...[]byte) []byte {
	return append(append([]byte("["), bytes.Join(messages, []byte(","))...), ']')
}

func batchRefused() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.batch-refused", Title: "a batch is not served where the revision has none", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.May, Revisions: since(mcp.Rev2506),
			Rule: reporters.Rule{
				Text: "From 2025-06-18 on a client must send each message by itself, and an array is no message. Nothing obliges a server to refuse one, but what it serves there passes by all that looks at single messages. No code is laid down; on a stream silence will do.",
				URL:  page("2025-06-18/changelog#major-changes"),
			},
			Fix: "Refuse arrays before looking at what they hold, with -32600 (over HTTP with status 400).",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			one, two := s.NextID(), s.NextID()
			from := s.conv.strayCount()
			a := s.probe(ctx, one, batch(s.good(one), s.good(two)))
			a.standing(c, "a batch")
			c.That(a.turnedDown() || a.Silent() && !s.overHTTP(), "a refusal of a batch", "%v", a)
			for _, in := range s.conv.straySince(from) {
				c.That(in.Result == nil || !in.ID.Equal(two), "no answer to what stands in a batch", "%s", clip(string(in.Raw), 300))
			}
		}),
	}
}

func batchAnswered() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.batch-answered", Title: "each request of a batch is answered", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.Must, Revisions: only(mcp.Rev2503), Core: true,
			Rule: reporters.Rule{
				Text: "2025-03-26 demands that batches can be received: each request in one gets its response, in a batch or alone.",
				URL:  page("2025-03-26/basic#batching"),
			},
			Fix: "Take an array apart and answer each request in it.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			one, two := s.NextID(), s.NextID()
			from := s.conv.strayCount()
			reply, err := s.Call(ctx, rpc.Request{ID: one, Raw: batch(s.good(one), s.good(two))})
			c.Answered(err, "a batch of two requests")
			c.That(reply.Error == nil, "a result for each request of a batch", "%s", describe(reply))
			wait, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			in, ok := s.conv.await(wait, from, func(in transport.Incoming) bool { return in.IsResponse() && in.ID.Equal(two) })
			c.That(ok && in.Error == nil, "a result for each request of a batch", "no result for the second of two")
		}),
	}
}

func longMessage() conformance.Case {
	const size = 100_000 // more than a line reader with a common default takes
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.long-line", Title: "a line of 100 kB is read", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{Stdio},
			Rule: reporters.Rule{
				Text: "Messages on stdio end with a newline, and the specification sets no limit to their length; this suite counts it as a recommendation that 100 kB are taken.",
				URL:  page("2025-11-25/basic/transports#stdio"),
			},
			Fix: "Read lines without the small limit of a scanner's default, and refuse only what is beyond a limit of your own, by an error.",
		},
		Isolated: true, // the reader may be gone for good
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			a := s.Attempt(ctx, c, s.harmless(), map[string]any{"_meta": map[string]any{"peerwright/padding": strings.Repeat("x", size)}})
			c.That(a.Message.Result != nil, "a result to a request of 100 kB", "%v", a)
		}),
	}
}

func exitsOnEOF() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.framing.exits-on-eof", Title: "the server exits when its stdin is closed", Protocol: conformance.MCP,
			Area: conformance.Framing, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{Stdio},
			Rule: reporters.Rule{
				Text: "A client ends a server by closing its stdin and waiting for it to exit; servers should exit promptly then.",
				URL:  page("2026-07-28/basic/transports/stdio#shutdown"),
			},
			Fix: "Leave the read loop and exit at the end of stdin; let no timer or listener keep the process alive.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			conn, ok := s.Conn().(*stdio.Conn)
			if !ok {
				c.Broken("a case of the stdio transport was given a %T", s.Conn())
			}
			s.Must(ctx, c, s.harmless(), nil)
			patience := s.promptly()
			wait, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			ended := conn.EndInput(wait)
			_ = conn.Close(ctx) // what comes of that is not for the server to answer for
			c.That(ended, "an exit when stdin is closed", "a server that was still there after %v, and had to be ended by a signal", patience)
		}),
	}
}

// promptly is how long a server may take to exit: five seconds, and more where it took
// long to start, as it does on a machine that is busy.
func (s *Session) promptly() time.Duration {
	const least, starts = 5 * time.Second, 4
	for _, f := range s.conv.transcript.Frames(0) {
		if f.Dir == wire.In && f.Kind == wire.FrameMessage {
			return max(least, starts*f.At)
		}
	}
	return least
}

// endpoint is the URL of the server.
func (s *Session) endpoint() string {
	for _, f := range s.conv.transcript.Frames(0) {
		if f.Kind == wire.FrameRequest {
			return f.URL
		}
	}
	return ""
}
