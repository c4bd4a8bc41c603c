package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/wire"
)

// Bounds of the tour: a server may have hundreds of tools, and slow ones.
const (
	maxTour     = 12
	tourTimeout = 2500 * time.Millisecond // of one call
)

// errSlow says that a tool took longer than the tour waits.
var errSlow = errors.New("the tool takes longer than the suite waits")

// visit is one tool called once, with arguments that its schema accepts and a
// progress token.
type visit struct {
	Tool  Tool
	Reply rpc.Reply
	Err   error // no answer
	Took  time.Duration
}

// result returns what the tool gave, and false when it failed in whatever way.
func (v visit) result() (json.RawMessage, bool) {
	return v.Reply.Result, v.Err == nil && v.Reply.Error == nil
}

// worked tells whether the tool gave a result that is no failure.
func (v visit) worked() bool {
	result, ok := v.result()
	return ok && !failed(result)
}

// tour calls each tool that may be called once, the first time it is asked for, and
// remembers what came of it: cases judge the same visits instead of calling again. It
// goes over the common conversation, whoever asks for it: in one where rules are
// broken on purpose the monitors would judge it by less.
func (s *Session) tour(ctx context.Context, c *conformance.Check) []visit {
	s.target.tourOnce.Do(func() {
		conv, err := s.target.share(ctx, &s.target.shared)
		c.Answered(err, "a new conversation")
		guide := newSession(s.target, conv, false)
		for _, tool := range s.Facts.Tools {
			if tool.Callable && len(s.target.visits) < maxTour && ctx.Err() == nil {
				s.target.visits = append(s.target.visits, guide.visit(ctx, c, tool))
			}
		}
	})
	return s.target.visits
}

func (s *Session) visit(ctx context.Context, c *conformance.Check, tool Tool) visit {
	bounded, cancel := context.WithTimeoutCause(ctx, tourTimeout, errSlow)
	defer cancel()
	s.Note(tool.Name, "to see what it gives for arguments that its schema accepts")
	v := visit{Tool: tool}
	id := s.NextID()
	params := encode(c, map[string]any{
		"name": tool.Name, "arguments": tool.Args, "_meta": map[string]any{"progressToken": "tour-" + tool.Name},
	})
	start := s.target.config.Now()
	v.Reply, v.Err = s.Call(bounded, rpc.Request{ID: id, Raw: s.Compose(id, "tools/call", params)})
	v.Took = s.target.config.Now().Sub(start)
	if errors.Is(v.Err, errSlow) {
		s.abandon(ctx, c, id, v.Reply.Delivery.Exchange)
	}
	return v
}

// abandon lets the server give up a call that nobody waits for any more.
func (s *Session) abandon(ctx context.Context, c *conformance.Check, id wire.ID, exchange int) {
	if s.Modern() && s.overHTTP() {
		if conn, ok := s.Conn().(interface{ Cancel(exchange int) }); ok {
			conn.Cancel(exchange)
		}
		return
	}
	params := encode(c, map[string]any{"requestId": id, "reason": "it takes longer than the suite waits"})
	_, _ = s.Notify(ctx, "notifications/cancelled", params) // a courtesy
}

// slowest returns the visit that took longest.
func slowest(visits []visit) visit {
	var slow visit
	for _, v := range visits {
		if v.Err == nil && v.Took > slow.Took {
			slow = v
		}
	}
	return slow
}
