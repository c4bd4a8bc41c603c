package mcp

import (
	"context"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const cancellationURL = "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation"

// What a cancellation check waits for.
const (
	slowEnough = 200 * time.Millisecond // a call this long can be cancelled on its way
	lateAnswer = 150 * time.Millisecond // an answer this long after the cancellation did not merely cross it
)

// cancellationCases check how a server takes notifications/cancelled.
func cancellationCases() []conformance.Case {
	return []conformance.Case{cancelUnknown(), cancelledStaysSilent()}
}

func cancelUnknown() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.cancellation.unknown-request", Title: "cancelling what is not there is ignored",
			Protocol: conformance.MCP, Area: conformance.Cancellation, Level: reporters.Should, Revisions: legacy(), Core: true,
			Rule: reporters.Rule{
				Text: "A cancellation of an unknown or completed request should be ignored: it is a notification, and has no answer.",
				URL:  cancellationURL + "#error-handling",
			},
			Fix: "Drop a cancellation whose request is not in progress.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			done := s.NextID()
			s.AskID(ctx, c, done, s.harmless(), nil)
			for _, id := range []wire.ID{done, wire.StringID("peerwright-never-sent")} {
				s.silent(ctx, c, "notifications/cancelled", encode(c, map[string]any{"requestId": id, "reason": "a check"}))
			}
			s.Must(ctx, c, s.harmless(), nil)
		}),
	}
}

func cancelledStaysSilent() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.cancellation.no-late-answer", Title: "a cancelled call is given up and not answered",
			Protocol: conformance.MCP, Area: conformance.Cancellation, Level: reporters.Should, Revisions: legacy(),
			Needs: []conformance.Feature{ReadableTool},
			Rule: reporters.Rule{
				Text: "The receiver of a cancellation should stop working on the request, and should not send a response for it.",
				URL:  cancellationURL + "#behavior-requirements",
			},
			Fix: "Pass the cancellation to the tool, and drop its result.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			rtt := s.roundTrip(ctx, c)
			slow := slowest(s.tour(ctx, c))
			work := slow.Took - rtt
			if work < slowEnough+2*rtt {
				c.NotVerified("no tool that may be called takes long enough to be cancelled, and yet ends within %v", tourTimeout)
			}
			s.Note(slow.Tool.Name, "to cancel it on its way")
			id, ended := s.background(ctx, c, slow.Tool)
			if wait(ended, rtt+work/3) != nil {
				c.NotVerified("%s answered before it could be cancelled", slow.Tool.Name)
			}
			_, err := s.Notify(ctx, "notifications/cancelled", encode(c, map[string]any{"requestId": id, "reason": "a check"}))
			c.Answered(err, "a notification")
			sent := s.target.config.Now()
			answer := wait(ended, slow.Took+lateAnswer)
			late := s.target.config.Now().Sub(sent) > lateAnswer+rtt
			switch {
			case answer == nil || answer.Raw == nil: // silence, or the stream was closed
				s.Must(ctx, c, s.harmless(), nil)
			case late, slow.worked() && !(visit{Reply: *answer}).worked(): // the cancellation brought it about
				c.That(false, "no answer to a call that was cancelled", "%s", describe(*answer))
			default:
				c.NotVerified("the answer of %s may have crossed the cancellation", slow.Tool.Name)
			}
		}),
	}
}

// roundTrip measures how long the server takes for next to nothing.
func (s *Session) roundTrip(ctx context.Context, c *conformance.Check) time.Duration {
	start := s.target.config.Now()
	s.Must(ctx, c, s.harmless(), nil)
	return s.target.config.Now().Sub(start)
}

// background calls a tool and returns at once. The channel gives what came of it: a
// reply without Raw when nothing did.
func (s *Session) background(ctx context.Context, c *conformance.Check, tool Tool) (wire.ID, <-chan rpc.Reply) {
	id := s.NextID()
	params := encode(c, map[string]any{"name": tool.Name, "arguments": tool.Args})
	ended := make(chan rpc.Reply, 1)
	go func() {
		reply, err := s.Call(ctx, rpc.Request{ID: id, Raw: s.Compose(id, "tools/call", params)})
		if err != nil {
			reply = rpc.Reply{}
		}
		ended <- reply
	}()
	return id, ended
}

// wait returns what came within d, nil when nothing did.
func wait(ended <-chan rpc.Reply, d time.Duration) *rpc.Reply {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case reply := <-ended:
		return &reply
	case <-timer.C:
		return nil
	}
}
