package mcp

import (
	"fmt"
	"mime"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// streamMonitors judge the event streams of Streamable HTTP.
func streamMonitors() []conformance.Monitor {
	return []conformance.Monitor{uniqueEventIDs(), nothingAfterTheAnswer(), answerTypes()}
}

func streamMeta(id, title, rule, url, fix string, level reporters.Level, revisions []string) conformance.Meta {
	return conformance.Meta{
		ID: "mcp.streaming." + id, Title: title, Protocol: conformance.MCP, Area: conformance.Streaming, Level: level,
		Revisions: revisions, Needs: []conformance.Feature{HTTP}, Fix: fix, Rule: reporters.Rule{Text: rule, URL: url},
	}
}

func uniqueEventIDs() conformance.Monitor {
	return conformance.Monitor{
		Meta: streamMeta("event-ids-unique", "no event id stands twice in a session",
			"The id of a server-sent event, where there is one, must be unique across all streams of the session.",
			"https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery",
			"Let the id name the stream as well as the position in it.", reporters.Must, only(mcp.Rev2503, mcp.Rev2506, mcp.Rev2511)),
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			resumed, session := resumptions(t), sessions(t)
			last := map[[2]string]wire.Frame{} // by session and id
			for _, f := range t.Frames {
				if f.Kind != wire.FrameEvent || f.Event == nil || !f.Event.HasID || f.Event.ID == "" || resumed[f.Exchange] {
					continue
				}
				j.Exercised++
				at := [2]string{session[f.Exchange], f.Event.ID}
				if before, twice := last[at]; twice {
					j.Violations = append(j.Violations, conformance.Violation{
						Expected: "each event id once", Actual: fmt.Sprintf("id %q twice", f.Event.ID), Frames: []int{before.Seq, f.Seq},
					})
				}
				last[at] = f
			}
			return j
		},
	}
}

// resumptions names the exchanges that ask for events again: there the ids come back
// on purpose.
func resumptions(t conformance.Trace) map[int]bool {
	again := map[int]bool{}
	for _, f := range t.Frames {
		if f.Kind == wire.FrameRequest && f.Header.Get("Last-Event-ID") != "" {
			again[f.Exchange] = true
		}
	}
	return again
}

// sessions names the session of each exchange: the one that the request was sent in,
// or that its answer began.
func sessions(t conformance.Trace) map[int]string {
	of := map[int]string{}
	for _, f := range t.Frames {
		if id := f.Header.Get("Mcp-Session-Id"); id != "" {
			of[f.Exchange] = id
		}
	}
	return of
}

func nothingAfterTheAnswer() conformance.Monitor {
	return conformance.Monitor{
		Meta: streamMeta("nothing-after-the-answer", "the stream of a request carries no message after the answer",
			"After the response the stream of a POST should be closed; it carries nothing more.",
			"https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server",
			"Close the event stream when the response was written; send what belongs to no request on the stream of a GET.", reporters.Should, since(mcp.Rev2503)),
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			if t.Hostile { // what was sent may not have been one request
				return j
			}
			for _, q := range requests(traffic(t)) {
				if len(q.Answers) == 0 || q.Answers[0].Frame.Kind != wire.FrameEvent || q.batched() {
					continue
				}
				j.Exercised++
				answer := q.Answers[0].Frame
				for _, f := range t.Frames {
					if f.Dir == wire.In && f.Exchange == answer.Exchange && f.Seq > answer.Seq && f.Payload() != nil {
						j.Violations = append(j.Violations, conformance.Violation{
							Expected: "nothing after the response", Actual: clip(string(f.Payload()), 200), Frames: []int{answer.Seq, f.Seq},
						})
					}
				}
			}
			return j
		},
	}
}

func answerTypes() conformance.Monitor {
	return conformance.Monitor{
		Meta: streamMeta("content-type", "a request is answered as JSON or as an event stream",
			"A successful answer to a POST that carries a request must have the content type application/json or text/event-stream.",
			"https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server",
			"Set Content-Type to application/json or text/event-stream.", reporters.Must, since(mcp.Rev2503)),
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			posts := map[int]bool{} // exchanges that carry one good request
			for _, f := range t.Frames {
				switch {
				case f.Kind == wire.FrameBody && f.Dir == wire.Out:
					m := wire.Parse(f.Data)
					posts[f.Exchange] = m.Kind == wire.KindRequest && len(m.Problems) == 0
				case f.Kind == wire.FrameResponse && posts[f.Exchange] && f.Status == http.StatusOK:
					j.Exercised++
					kind, _, _ := mime.ParseMediaType(f.Header.Get("Content-Type"))
					if kind != "application/json" && kind != "text/event-stream" {
						j.Violations = append(j.Violations, conformance.Violation{
							Expected: "application/json or text/event-stream", Actual: fmt.Sprintf("%q", f.Header.Get("Content-Type")), Frames: []int{f.Seq},
						})
					}
				}
			}
			return j
		},
	}
}
