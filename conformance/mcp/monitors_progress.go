package mcp

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// progressMonitors judge notifications/progress against the requests that asked for
// them.
func progressMonitors() []conformance.Monitor {
	return []conformance.Monitor{progressIncreases(), progressOnlyAsked(), progressStops()}
}

func progressMeta(id, title, rule, fix string) conformance.Meta {
	return conformance.Meta{
		ID: "mcp.streaming.progress-" + id, Title: title, Protocol: conformance.MCP, Area: conformance.Streaming,
		Level: reporters.Must, Revisions: all(), Fix: fix,
		Rule: reporters.Rule{Text: rule, URL: "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress"},
	}
}

func progressIncreases() conformance.Monitor {
	return conformance.Monitor{
		Meta: progressMeta("increases", "progress goes up with every notification",
			"The progress value must increase with each notification for a token.",
			"Send a notification only when there is progress, with a larger value than before."),
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			last := map[string]seen{}
			for _, m := range traffic(t) {
				token := string(progressToken(m.Message))
				if m.Frame.Dir == wire.Out {
					delete(last, token) // a token may be given again once its request is answered
				}
				if m.Frame.Dir != wire.In || m.Method != "notifications/progress" {
					continue
				}
				before, again := last[token]
				last[token] = m
				if !again {
					continue // one notification shows no direction
				}
				j.Exercised++
				was, is := wire.Get(before.Params, "progress"), wire.Get(m.Params, "progress")
				if !increases(was, is) {
					j.Violations = append(j.Violations, breach(fmt.Sprintf("more than %s for token %s", was, token), string(is), before, m))
				}
			}
			return j
		},
	}
}

// increases compares two JSON numbers by their digits.
func increases(was, is json.RawMessage) bool {
	a, okA := new(big.Float).SetString(string(was))
	b, okB := new(big.Float).SetString(string(is))
	return okA && okB && b.Cmp(a) > 0
}

func progressOnlyAsked() conformance.Monitor {
	return conformance.Monitor{
		Meta: progressMeta("only-asked", "progress is reported only under a token that a request gave",
			"Progress notifications must refer to tokens that were given in an active request.",
			"Send progress only when the request carried _meta.progressToken, and under that very value."),
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			given := map[string]bool{}
			for _, m := range traffic(t) {
				token := string(progressToken(m.Message))
				if m.Frame.Dir == wire.Out {
					given[token] = true
					continue
				}
				if m.Method != "notifications/progress" {
					continue
				}
				j.Exercised++
				if token == "" || !given[token] {
					j.Violations = append(j.Violations, breach("a token that a request gave", "token "+token, m))
				}
			}
			return j
		},
	}
}

func progressStops() conformance.Monitor {
	return conformance.Monitor{
		Meta: progressMeta("stops", "no progress is reported after the answer",
			"Progress notifications must stop after completion.",
			"Send the last notification before the response, and drop those that come later."),
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			all := traffic(t)
			for _, q := range requests(all) {
				if progressToken(q.Message) == nil || len(q.Answers) == 0 {
					continue
				}
				j.Exercised++
				for _, m := range lateProgress(all, q) {
					j.Violations = append(j.Violations, breach("no progress after the answer", clip(string(m.Raw), 200), q.Answers[0], m))
				}
			}
			return j
		},
	}
}

// lateProgress returns what was reported under the token of a request after its answer
// and before the token was given again. Frames of two streams have no order between
// them, so only what came on the stream of the answer counts.
func lateProgress(all []seen, q *asked) []seen {
	token, answer := string(progressToken(q.Message)), q.Answers[0].Frame
	var late []seen
	for _, m := range all {
		if m.Frame.Seq <= answer.Seq || string(progressToken(m.Message)) != token {
			continue
		}
		if m.Frame.Dir == wire.Out {
			break
		}
		if m.Method == "notifications/progress" && m.Frame.Exchange == answer.Exchange {
			late = append(late, m)
		}
	}
	return late
}
