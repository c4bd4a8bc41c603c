package mcp

import (
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
)

// excuse ends the case anew when what it saw, good or bad, says nothing about the rule:
// the server sent more than is kept, or it turned the suite away.
func (s *Session) excuse(c *conformance.Check) {
	if err := s.target.enough(nil); err != nil {
		c.Broken("%v", err)
	}
	s.turnedAway(c)
}

// turnedAway ends the case when one of its requests was answered by nothing but an HTTP
// status that says that it was not looked at. 403 is left to the cases, because a server
// answers so by the specification too.
func (s *Session) turnedAway(c *conformance.Check) {
	for _, frames := range s.exchanges() {
		for _, status := range bareStatuses(frames) {
			if status != http.StatusForbidden {
				c.TurnedAway(status, "a request of this case")
			}
		}
	}
}

// exchanges returns what travelled in each conversation since the session began.
func (s *Session) exchanges() [][]wire.Frame {
	all := [][]wire.Frame{s.conv.transcript.Frames(s.frames)}
	for _, child := range s.children {
		all = append(all, child.transcript.Frames(0))
	}
	return all
}

// bareStatuses returns the HTTP statuses that came without a JSON-RPC response, by the
// number of their exchange.
func bareStatuses(frames []wire.Frame) map[int]int {
	bare := map[int]int{}
	for _, f := range frames {
		switch {
		case f.Dir == wire.Out:
		case f.Kind == wire.FrameResponse:
			bare[f.Exchange] = f.Status
		case bare[f.Exchange] >= http.StatusBadRequest && wire.Parse(f.Payload()).IsResponse():
			delete(bare, f.Exchange)
		}
	}
	return bare
}
