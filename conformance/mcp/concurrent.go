package mcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// twin is a request whose answer cannot be taken for that of the harmless one: a
// list, told by its member, or an unknown method, told by its error.
type twin struct {
	method, member string
	code           int64 // of the error, where there is no member
}

// twin finds one.
func (s *Session) twin(ctx context.Context, c *conformance.Check) twin {
	for _, claim := range claims() {
		if s.declares(claim.capability) && s.Attempt(ctx, c, claim.method, nil).Message.Result != nil {
			return twin{method: claim.method, member: claim.member}
		}
	}
	a := s.Attempt(ctx, c, noSuchMethod, nil)
	if a.Message.Error == nil {
		c.NotVerified("there is no list, and an unknown method is not answered with an error, but with %v", a)
	}
	return twin{method: noSuchMethod, code: a.Code()}
}

// answered tells whether the message answers the twin.
func (t twin) answered(m wire.Message) bool {
	if t.member == "" {
		return m.Error != nil && m.Error.Code == t.code
	}
	return wire.Get(m.Result, t.member) != nil
}

// otherwise tells whether the message is the result of the harmless request.
func (t twin) otherwise(m wire.Message) bool { return m.Result != nil && !t.answered(m) }

func concurrentRequests() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.concurrent-requests", Title: "requests sent at once each get their own answer", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "A response carries the id of the request that it answers, also where several wait for theirs.",
				URL:  page("2025-11-25/basic#responses"),
			},
			Fix: "Keep each request and its id together until it is answered; share nothing between requests that run at once.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			twin := s.twin(ctx, c)
			replies, errs := make([]rpc.Reply, 8), make([]error, 8)
			together(len(replies), func(i int) {
				method := s.harmless()
				if i%2 == 1 {
					method = twin.method
				}
				replies[i], errs[i] = s.Request(ctx, method, nil)
			})
			for i, reply := range replies {
				c.Answered(errs[i], fmt.Sprintf("one of %d requests sent at once", len(replies)))
				own := i%2 == 1 && twin.answered(reply.Message) || i%2 == 0 && twin.otherwise(reply.Message)
				c.That(own, "its own answer to each of 8 requests sent at once", "%s", describe(reply))
			}
		}),
	}
}

// together runs f n times at once, and tells how many ran at the same time.
func together(n int, f func(i int)) (most int64) {
	var running, peak atomic.Int64
	var wait sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wait.Go(func() {
			<-start
			now := running.Add(1)
			for before := peak.Load(); now > before && !peak.CompareAndSwap(before, now); before = peak.Load() {
			}
			f(i)
			running.Add(-1)
		})
	}
	close(start)
	wait.Wait()
	return peak.Load()
}

// rounds is how often two requests under one id are sent at once: a server that
// mixes them up does so only while both wait.
const rounds = 8

// collide sends the harmless request from one session and its twin from another,
// under one id and at once, and tells of each pair of answers. It returns false when
// no two were ever on their way together.
func collide(ctx context.Context, c *conformance.Check, one, other *Session, twin twin, judge func(harmless, twin Answer)) bool {
	met := false
	for round := range rounds {
		id := wire.IntID(int64(1_000_000 + round))
		var answers [2]Answer
		if together(2, func(i int) {
			s, method := one, one.harmless()
			if i == 1 {
				s, method = other, twin.method
			}
			resp, err := s.httpConn(c).Do(ctx, "POST", nil, s.Compose(id, method, nil))
			if err != nil {
				answers[i] = Answer{Err: err}
				return
			}
			answers[i] = answerOf(resp, responseIn(resp))
		}) == 2 {
			met = true
		}
		judge(answers[0], answers[1])
	}
	return met
}

func sameIDOnTwoConnections() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.same-id-two-connections", Title: "two clients that use one id get their own answers", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: all(), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "A response answers the request with its id that the same sender made: ids of different clients, or sessions, have nothing to do with each other.",
				URL:  page("2025-11-25/basic#requests"),
			},
			Fix: "Key waiting requests by connection or session and id, never by the id alone.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			twin := s.twin(ctx, c)
			met := collide(ctx, c, s, s.Fresh(ctx, c), twin, func(one, other Answer) {
				c.Answered(one.Err, "a request under an id that another client uses")
				c.Answered(other.Err, "a request under an id that another client uses")
				c.That(twin.otherwise(one.Message), "a result of "+s.harmless(), "%v, while another client used the same id", one)
				c.That(twin.answered(other.Message), "an answer to "+twin.method, "%v, while another client used the same id", other)
			})
			if !met {
				c.NotVerified("no two requests were on their way at once")
			}
		}),
	}
}

func sameIDOnOneConnection() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.same-id-one-connection", Title: "two requests under one id never get each other's answer", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{HTTP},
			Rule: reporters.Rule{
				Text: "A client must not use an id that still waits for its answer. One that does may be refused, or answered, or not; but the answer to one request is not sent for the other.",
				URL:  page("2025-11-25/basic#requests"),
			},
			Fix: "Refuse the second request under an id that waits, or key the waiting requests by the HTTP exchange.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			twin := s.twin(ctx, c)
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			met := collide(ctx, c, s, s, twin, func(one, other Answer) {
				c.That(!twin.otherwise(other.Message), "no answer of another request to "+twin.method, "%v", other)
				c.That(!twin.answered(one.Message), "no answer of another request to "+s.harmless(), "%v", one)
			})
			if !met {
				c.NotVerified("no two requests were on their way at once")
			}
		}),
	}
}
