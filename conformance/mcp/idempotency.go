package mcp

import (
	"context"
	"math/big"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// idempotencyCases check the ids, and that the same question has the same answer.
func idempotencyCases() []conformance.Case {
	return []conformance.Case{
		stringIDs(), zeroID(), emptyID(), longID(), bigID(), nullID(), reusedID(),
		notificationUnanswered(), unknownNotification(),
		concurrentRequests(), sameIDOnTwoConnections(), sameIDOnOneConnection(),
		listRepeats(), toolsOrder(), listOnAnotherConnection(),
	}
}

// echo makes a case that asks under some ids, and wants each back as it was.
func echo(id, title string, level reporters.Level, rule, fix string, ids ...wire.ID) conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency." + id, Title: title, Protocol: conformance.MCP, Area: conformance.Idempotency,
			Level: level, Revisions: all(), Core: true,
			Rule: reporters.Rule{Text: rule, URL: page("2025-11-25/basic#responses")}, Fix: fix,
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, id := range ids {
				a := s.whatever(ctx, c, id, s.good(id))
				expected := "a response under the id " + named(id)
				c.That(a.Message.Raw != nil, expected, "%v", a)
				c.That(sameID(a.Message.ID, id), expected, "a response with the id %s", named(a.Message.ID))
			}
		}),
	}
}

// sameID tells whether two ids are of one type and value, however a number is
// spelt.
func sameID(a, b wire.ID) bool {
	if !a.IsNumber() || !b.IsNumber() || len(a.String()) > 40 || strings.ContainsAny(a.String(), "eE") && len(a.String()) > 25 {
		return a.Equal(b)
	}
	x, xOK := new(big.Rat).SetString(a.String())
	y, yOK := new(big.Rat).SetString(b.String())
	return xOK && yOK && x.Cmp(y) == 0
}

func stringIDs() conformance.Case {
	return echo("string-id", "a string id comes back as that string", reporters.Must,
		`A response carries the id of its request: "1" is not 1, and "007" is not "7".`,
		"Keep the id as the JSON value that it was; do not turn strings of digits into numbers.",
		wire.StringID("1"), wire.StringID("007"))
}

func zeroID() conformance.Case {
	return echo("zero-id", "the id 0 comes back as 0", reporters.Must,
		"A response carries the id of its request, and 0 is an integer like any other.",
		"Test whether the member id is there, not whether its value is truthy.",
		wire.IntID(0))
}

func emptyID() conformance.Case {
	return echo("empty-id", "the empty string as an id comes back as it was", reporters.Must,
		"A response carries the id of its request, and the empty string is a string like any other.",
		"Test whether the member id is there, not whether its value is truthy.",
		wire.StringID(""))
}

func longID() conformance.Case {
	const text = "peerwright-\u00e9-\u4e16\u754c-" // two and three bytes a character
	return echo("long-id", "a long id with characters beyond ASCII comes back whole", reporters.Must,
		"A response carries the id of its request, of whatever length.",
		"Keep the id as it came; do not cut, normalise or re-encode it.",
		wire.StringID(strings.Repeat(text, 120)))
}

func bigID() conformance.Case {
	id := wire.IntID(9007199254740993)
	k := echo("big-id", "an integer id beyond 2^53 comes back with all its digits, or is refused", reporters.May,
		"A response carries the id of its request. MCP sets no bound to integers, but JSON promises no more than that those up to 2^53 survive (RFC 8259, section 6), so that a server may refuse such an id, and is not failed for one that it changes.",
		"Keep the digits of the id instead of a floating-point number, or refuse what cannot be kept.", id)
	k.Isolated = true // no monitor is to take it for a rule that must be kept
	k.Run = on(func(ctx context.Context, c *conformance.Check, s *Session) {
		a := s.whatever(ctx, c, id, s.good(id))
		if a.turnedDown() && (a.Message.ID.IsZero() || a.Message.ID == wire.NullID) {
			return // refused, in nobody's name
		}
		c.That(sameID(a.Message.ID, id), "a response under the id "+named(id), "a response with the id %s", named(a.Message.ID))
	})
	return k
}

func nullID() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.null-id", Title: "a request with the id null is not swallowed", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: all(),
			Rule: reporters.Rule{
				Text: "A message with an id member is no notification, and MCP forbids the id null: such a request is refused. (Plain JSON-RPC would answer it under null, which is accepted here too; taking it in silence is not.)",
				URL:  page("2025-11-25/basic#requests"),
			},
			Fix: "Tell an id that is null from one that is missing, and answer -32600 (over HTTP with status 400).",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.probe(ctx, wire.NullID, s.good(wire.NullID))
			if a.Silent() && !s.overHTTP() {
				c.NotVerified("the server left it unanswered, and a stream does not show whether it took it for a notification")
			}
			c.That(a.Message.Raw != nil || a.turnedDown(), "a refusal of a request with the id null", "%v", a)
		}),
	}
}

func reusedID() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.id-used-again", Title: "an id may be used again once its request is answered", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "From 2026-07-28 on an id must only differ from those of requests that still wait for their answer; nothing is remembered from earlier requests.",
				URL:  page("2026-07-28/basic#requests"),
			},
			Fix: "Forget an id when its answer has been sent.",
		},
		Isolated: true, // two answers under one id look like one request answered twice
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			for _, when := range []string{"first", "second"} {
				reply := s.AskID(ctx, c, id, s.harmless(), nil)
				c.That(reply.Error == nil, "a result each time that one id is used", "%s the %s time", describe(reply), when)
			}
		}),
	}
}
