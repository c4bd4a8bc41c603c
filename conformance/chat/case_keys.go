package chat

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

const (
	keyHeader    = "X-Idempotency-Key"
	replayHeader = "X-Idempotency-Replayed"
)

// keyCases call tools with idempotency keys.
func keyCases() []conformance.Case {
	return []conformance.Case{sameKey(), replayMarked(), memberKey(), keyConflict(), failureKept(), keyAtOnce()}
}

func keyMeta(id, title, rule, fix string, need conformance.Feature) conformance.Meta {
	return about(conformance.Idempotency, id, title, reporters.Must, needs(Contract, need), rule, bridgeDocs+"#tools", fix)
}

func (v visit) keyed(key string) []call {
	return []call{{id: "call_1", name: v.name, args: string(v.args), key: key}}
}

const twice = "; twice under one key"

func sameKey() conformance.Case {
	return conformance.Case{
		Meta: keyMeta("same-answer", "The same key gets the same answer",
			"A second call with the same key and arguments gets the stored result, even of a tool that would answer otherwise now.", "Store the result under key, caller, tool and arguments.", CallableTool),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, v := range s.working(ctx, c) {
				key := s.newKey()
				one := s.run(ctx, c, v.why+twice, v.keyed(""), keyHeader, key)
				two := s.run(ctx, c, v.why+twice, v.keyed(""), keyHeader, key)
				c.That(two.status == one.status && sameJSON(one.result("0"), two.result("0")), "the first answer again: "+clip(string(one.result("0"))), "%s", clip(string(two.result("0"))))
			}
		}),
	}
}

func replayMarked() conformance.Case {
	return conformance.Case{
		Meta: keyMeta("replay-marked", "A stored answer says that it is one",
			replayHeader+" is true with a stored answer, and is not with the first.", "Set the header where the result comes from the store.", CallableTool),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v, key := s.working(ctx, c)[0], s.newKey()
			one := s.run(ctx, c, v.why+twice, v.keyed(""), keyHeader, key)
			two := s.run(ctx, c, v.why+twice, v.keyed(""), keyHeader, key)
			c.That(one.header.Get(replayHeader) != "true", "no "+replayHeader+" with the first answer", "true")
			c.That(two.header.Get(replayHeader) == "true", replayHeader+": true with the second answer", "%q", two.header.Get(replayHeader))
		}),
	}
}

func memberKey() conformance.Case {
	return conformance.Case{
		Meta: keyMeta("member", "A key beside the function counts as well",
			"idempotency_key beside function is the key of that call.", "Read the member of each call before the header.", CallableTool),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v, key := s.working(ctx, c)[0], s.newKey()
			s.run(ctx, c, v.why+twice, v.keyed(key))
			two := s.run(ctx, c, v.why+twice, v.keyed(key))
			c.That(string(two.at("peerwright", "calls", "0", "replayed")) == "true", "replayed true in peerwright.calls", "%s", clip(string(two.at("peerwright"))))
		}),
	}
}

func keyConflict() conformance.Case {
	return conformance.Case{
		Meta: keyMeta("conflict", "One key for other arguments is a conflict",
			"The same key with other arguments is refused with 409, class conflict and code idempotency_conflict.", "Store a digest of the arguments with the key.", OtherTool),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			good := s.working(ctx, c)
			i := slices.IndexFunc(good, func(v visit) bool { return v.other() != nil })
			if i < 0 {
				c.NotVerified("no tool that gave a result has arguments to vary")
			}
			v, key := good[i], s.newKey()
			s.run(ctx, c, v.why+twice, v.keyed(""), keyHeader, key)
			v.args = v.other()
			a := s.run(ctx, c, v.why+"; with other arguments under one key", v.keyed(""), keyHeader, key)
			c.That(a.status == http.StatusConflict && a.text("error", "class") == "conflict" && a.text("error", "code") == "idempotency_conflict",
				"409, class conflict, code idempotency_conflict", "status %d, %s", a.status, clip(string(a.body)))
		}),
	}
}

func failureKept() conformance.Case {
	return conformance.Case{
		Meta: keyMeta("failure-kept", "A failure of the tool is kept as well",
			"A call that the tool itself answered with a failure was made: under its key the same failure comes again, marked as replayed.", "Store what the call came to, failure or not.", CallableTool),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, v := range s.visited(ctx, c) {
				if v.text("error", "context", "outcome") != "failed" {
					continue
				}
				key := s.newKey()
				one := s.run(ctx, c, v.why+twice, v.keyed(""), keyHeader, key)
				two := s.run(ctx, c, v.why+twice, v.keyed(""), keyHeader, key)
				c.That(two.status == one.status && two.text("error", "message") == one.text("error", "message") && two.header.Get(replayHeader) == "true",
					"the same failure again, with "+replayHeader+": true; at first "+clip(string(one.body)), "status %d, %q, %s", two.status, two.header.Get(replayHeader), clip(string(two.body)))
				return
			}
			c.NotVerified("no tool that may be called failed by itself")
		}),
	}
}

func keyAtOnce() conformance.Case {
	const calls = 4
	return conformance.Case{
		Meta: keyMeta("concurrent", "Calls under one key at once are one call",
			"Of several calls with one key that come at once one is executed; the others wait for it, get its answer, and say that they are replayed.",
			"Claim the key before the call, in one step that only one can win.", CallableTool),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v, key := s.working(ctx, c)[0], s.newKey()
			answers, errs := make([]answer, calls), make([]error, calls)
			body := []byte(s.calls(false, v.keyed("")...))
			var all sync.WaitGroup
			for i := range calls {
				s.target.ledger.note(v.name, v.why+"; several at once under one key")
				all.Go(func() {
					answers[i], errs[i] = s.raw(ctx, http.MethodPost, s.target.base+"/chat/completions", body, keyHeader, key)
				})
			}
			all.Wait()
			fresh := 0
			for i, a := range answers {
				c.Answered(errs[i], "a call of "+v.name)
				c.TurnedAway(a.status, "a call of "+v.name)
				c.That(a.status == http.StatusOK && sameJSON(a.result("0"), answers[0].result("0")), "one result for all: "+clip(string(answers[0].result("0"))), "status %d, %s", a.status, clip(string(a.body)))
				if a.header.Get(replayHeader) != "true" && string(a.at("peerwright", "calls", "0", "replayed")) != "true" {
					fresh++
				}
			}
			c.That(fresh == 1, "one answer that is not replayed", "%d of %d", fresh, calls)
		}),
	}
}
