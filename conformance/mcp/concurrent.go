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

// distinct makes sure that two requests can be told apart by their answers: the
// harmless one has a result, and that for an unknown method an error, the code of
// which it returns.
func (s *Session) distinct(ctx context.Context, c *conformance.Check) int64 {
	a := s.Attempt(ctx, c, noSuchMethod, nil)
	if a.Message.Error == nil {
		c.NotVerified("an unknown method is not answered with an error, but with %v", a)
	}
	s.Must(ctx, c, s.harmless(), nil)
	return a.Code()
}

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
			s.distinct(ctx, c)
			replies, errs := make([]rpc.Reply, 8), make([]error, 8)
			together(len(replies), func(i int) {
				method := s.harmless()
				if i%2 == 1 {
					method = noSuchMethod
				}
				replies[i], errs[i] = s.Request(ctx, method, nil)
			})
			for i, reply := range replies {
				c.Answered(errs[i], fmt.Sprintf("one of %d requests sent at once", len(replies)))
				c.That((reply.Error != nil) == (i%2 == 1), "its own answer to each of 8 requests sent at once", "%s", describe(reply))
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

// collide sends the harmless request from one session and the unknown method from
// another, under one id and at once, and tells of each pair of answers. It returns
// false when no two were ever on their way together.
func collide(ctx context.Context, c *conformance.Check, one, other *Session, judge func(harmless, unknown Answer)) bool {
	met := false
	for round := range rounds {
		id := wire.IntID(int64(1_000_000 + round))
		var answers [2]Answer
		if together(2, func(i int) {
			s, method := one, one.harmless()
			if i == 1 {
				s, method = other, noSuchMethod
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
			s.distinct(ctx, c)
			met := collide(ctx, c, s, s.Fresh(ctx, c), func(harmless, unknown Answer) {
				c.Answered(harmless.Err, "a request under an id that another client uses")
				c.Answered(unknown.Err, "a request under an id that another client uses")
				c.That(harmless.Message.Result != nil, "a result to "+s.harmless(), "%v, while another client used the same id", harmless)
				c.That(unknown.Message.Error != nil, "an error to an unknown method", "%v, while another client used the same id", unknown)
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
			code := s.distinct(ctx, c)
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			met := collide(ctx, c, s, s, func(harmless, unknown Answer) {
				c.That(unknown.Message.Result == nil, "no result to an unknown method", "%v, the answer to the other request with its id", unknown)
				c.That(harmless.Code() != code, "no error of another request to "+s.harmless(), "%v", harmless)
			})
			if !met {
				c.NotVerified("no two requests were on their way at once")
			}
		}),
	}
}
