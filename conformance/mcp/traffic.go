package mcp

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
)

// seen is one JSON-RPC message in a trace, those of a batch one by one.
type seen struct {
	wire.Message
	Frame wire.Frame
}

// traffic returns the messages of a trace in their order. What carries no message is
// left out: heads, chunks, stderr, and bodies that are no message, like an error page or a
// plain JSON document.
func traffic(t conformance.Trace) []seen {
	var all []seen
	for _, f := range t.Frames {
		payload := f.Payload()
		if len(payload) == 0 || !isMessageEvent(f) {
			continue
		}
		m := wire.Parse(payload)
		if f.Kind == wire.FrameBody && m.Kind == wire.KindInvalid {
			continue
		}
		all = append(all, split(m, f)...)
	}
	return all
}

// isMessageEvent tells whether a frame, if it is an event, is one that carries a
// message: HTTP+SSE has an event "endpoint", which holds a URL, and a server may have
// events of its own.
func isMessageEvent(f wire.Frame) bool {
	return f.Kind != wire.FrameEvent || f.Event.Type == "" || f.Event.Type == "message"
}

func split(m wire.Message, f wire.Frame) []seen {
	if m.Kind != wire.KindBatch {
		return []seen{{m, f}}
	}
	var all []seen
	for _, one := range m.Batch {
		all = append(all, seen{one, f})
	}
	return all
}

// asked is a request of the suite and what answered it.
type asked struct {
	seen
	Answers []seen
}

// batched tells whether the request was sent in a batch, whose answers share a stream.
func (q *asked) batched() bool { return wire.Parse(q.Frame.Payload()).Kind == wire.KindBatch }

// requests pairs the suite's requests with their answers. Over HTTP an answer must
// come on the exchange of its request, or on one that resumes it by GET; on a stream
// the id alone decides.
func requests(all []seen) []*asked {
	var out []*asked
	for _, m := range all {
		switch {
		case m.Frame.Dir == wire.Out && m.Kind == wire.KindRequest:
			out = append(out, &asked{seen: m})
		case m.Frame.Dir == wire.In && m.IsResponse():
			if q := answeredBy(out, m); q != nil {
				q.Answers = append(q.Answers, m)
			}
		}
	}
	return out
}

// answeredBy finds the request that m answers: of those with its id, the latest on its
// exchange first, then one that has no answer yet. Ids may come twice: in two
// conversations of one trace, and where a case sends them so on purpose. What comes on
// the HTTP exchange of a request answers that one or none.
func answeredBy(out []*asked, m seen) *asked {
	posted := slices.ContainsFunc(out, func(q *asked) bool { return q.shares(m) })
	var match *asked
	for _, q := range out {
		fits := q.ID.Equal(m.ID) && (q.shares(m) || !posted)
		if fits && (match == nil || q.suits(m) >= match.suits(m)) {
			match = q
		}
	}
	return match
}

// shares tells whether m came on the HTTP exchange of the request.
func (q *asked) shares(m seen) bool {
	return q.Frame.Exchange != 0 && q.Frame.Exchange == m.Frame.Exchange
}

// suits tells how well the request fits an answer with its id.
func (q *asked) suits(m seen) int {
	fit := 0
	if len(q.Answers) == 0 {
		fit++
	}
	if q.shares(m) {
		fit += 2
	}
	return fit
}

// exact tells whether an id is safe from readers that hold numbers as float64: what
// becomes of a longer one is for a case of its own to judge.
func exact(id wire.ID) bool {
	n, err := strconv.ParseFloat(id.String(), 64)
	return err != nil || math.Abs(n) < 1<<53
}

// progressToken returns the token that a request asked for progress with, or the one
// that a progress notification names; nil when there is none.
func progressToken(m wire.Message) json.RawMessage {
	if m.Method == "notifications/progress" {
		return wire.Get(m.Params, "progressToken")
	}
	return wire.Path(m.Params, "_meta", "progressToken")
}
