package mcp

import (
	"context"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// streamingCases are the active checks of what comes bit by bit; the monitors judge
// the rest of it.
func streamingCases() []conformance.Case {
	return []conformance.Case{progressTokens(), unbuffered(), resumedStream()}
}

func progressTokens() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.streaming.progress-token-types", Title: "a progress token may be a string or a whole number",
			Protocol: conformance.MCP, Area: conformance.Streaming, Level: reporters.Must, Revisions: all(),
			Needs: []conformance.Feature{ReadableTool},
			Rule: reporters.Rule{
				Text: "Progress tokens must be a string or an integer; a request with either is answered like one without.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress",
			},
			Fix: "Take the token as the JSON value that it is, and give it back unchanged.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			tool := s.Facts.Tool(Tool.callable)
			for _, token := range []any{"token", 7} {
				reply := s.CallWith(ctx, c, *tool, "to see whether a progress token disturbs it", map[string]any{"progressToken": token})
				c.That(reply.Error == nil, "an answer as without a progress token", "%s with the token %v", describe(reply), token)
			}
		}),
	}
}

func unbuffered() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.streaming.unbuffered", Title: "event streams tell proxies not to hold them back",
			Protocol: conformance.MCP, Area: conformance.Streaming, Level: reporters.Should, Revisions: modern(),
			Needs: []conformance.Feature{HTTP, ReadableTool},
			Rule: reporters.Rule{
				Text: "Servers should send X-Accel-Buffering: no with an event stream, so that proxies pass each event on at once.",
				URL:  "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#receiving-messages-from-the-server",
			},
			Fix: "Set the header X-Accel-Buffering: no on answers of the type text/event-stream.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			streams := 0
			for _, v := range s.tour(ctx, c) {
				head := v.Reply.Delivery.Header
				if transport.MediaType(head) != "text/event-stream" {
					continue
				}
				streams++
				c.That(head.Get("X-Accel-Buffering") == "no", "X-Accel-Buffering: no", "%q on the answer of %s", head.Get("X-Accel-Buffering"), v.Tool.Name)
			}
			if streams == 0 {
				c.NotVerified("no call was answered by an event stream")
			}
		}),
	}
}

// replayed is how long a server may take from one replayed message to the next.
const replayed = 100 * time.Millisecond

func resumedStream() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.streaming.resume", Title: "a resumed stream gives what was missed of it, and nothing else",
			Protocol: conformance.MCP, Area: conformance.Streaming, Level: reporters.Must, Revisions: only(mcp.Rev2503, mcp.Rev2506, mcp.Rev2511),
			Needs: []conformance.Feature{HTTP, ReadableTool},
			Rule: reporters.Rule{
				Text: "A server may replay the messages that would have been sent after the last event id; it must not replay messages of another stream.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery",
			},
			Fix: "Keep what was sent by stream, and let the event id name the stream.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			tool := s.Facts.Tool(Tool.callable)
			first := s.CallWith(ctx, c, *tool, "to have a stream that can be resumed", map[string]any{"progressToken": "resume"})
			from := firstEventID(s, first)
			if from == "" {
				c.NotVerified("the answer of %s came without event ids", tool.Name)
			}
			other := s.CallTool(ctx, c, *tool, tool.Args, "to have another stream beside it")
			conn := s.httpConn(c)
			d, err := conn.OpenStream(ctx, from)
			c.Answered(err, "a GET with Last-Event-ID")
			defer conn.Cancel(d.Exchange)
			if d.Status != http.StatusOK {
				c.NotVerified("the server does not resume: status %d", d.Status)
			}
			s.Await(ctx, settle, answerTo(first.ID)) // what was missed comes in order, if it comes
			_, strange := s.Await(ctx, replayed, answerTo(other.ID))
			c.That(!strange, "messages of the stream that was resumed", "the answer to request %s of another stream", other.ID)
		}),
	}
}

// firstEventID returns the id of the first event on the exchange of the reply.
func firstEventID(s *Session, reply rpc.Reply) string {
	for _, f := range s.Frames() {
		if f.Kind == wire.FrameEvent && f.Exchange == reply.Delivery.Exchange && f.Event != nil && f.Event.HasID {
			return f.Event.ID
		}
	}
	return ""
}

// answerTo picks the answer to a request that was answered before.
func answerTo(id wire.ID) func(transport.Incoming) bool {
	return func(in transport.Incoming) bool { return in.IsResponse() && in.ID.Equal(id) }
}
