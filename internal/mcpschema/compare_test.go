package mcpschema

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"testing"
)

// difference is a place where ours and the published schemas disagree, and why.
type difference struct {
	from, to string // revisions; "" is the first and the last
	name     string // a regular expression for the method or the code
	at       string // and one for the place of the fault
	why      string
}

// stricter lists what ours forbid and the published schemas let pass.
func stricter() []difference {
	return []difference{
		{
			from: rev2607, name: ".*", at: "/resultType",
			why: "basic/index: a resultType that the client does not know must be considered invalid; patterns/mrtr: input_required only on three methods",
		},
		{
			from: rev2607, name: "tools/call|prompts/get|resources/read", at: "",
			why: "patterns/mrtr: an InputRequiredResult must have at least one of inputRequests and requestState",
		},
		{
			name: "prompts/get", at: "/messages/[0-9]+/content/mimeType",
			why: "server/prompts: image and audio data must include a valid MIME type",
		},
		{
			name: "completion/complete", to: rev2511, at: "/completion/values",
			why: "server/utilities/completion: at most 100 items per response; the comments of the schema say it of every revision",
		},
		{
			from: rev2511, to: rev2511, name: "tasks/.*|tools/call|notifications/tasks/status", at: ".*/(createdAt|lastUpdatedAt)",
			why: "basic/utilities/tasks: must include ISO 8601 timestamps",
		},
		{
			from: rev2511, to: rev2511, name: "tasks/cancel", at: "/status",
			why: "basic/utilities/tasks: must transition the task to cancelled before sending the response",
		},
		{
			from: rev2511, to: rev2511, name: "tasks/result", at: ".*",
			why: "basic/utilities/tasks: returns what tools/call would have, and must include the related-task metadata",
		},
		{
			from: rev2511, to: rev2511, name: "notifications/cancelled", at: "",
			why: "schema: requestId must be provided for requests that are no tasks, and the notification must not be used for tasks",
		},
		{
			from: rev2607, name: "tools/call|prompts/get|resources/read", at: "/inputRequests/.*/properties/own/(enum|oneOf)(/.*)?",
			why: "client/elicitation: an enum lists strings, and choices with titles have const and title",
		},
		{
			from: rev2607, name: "notifications/subscriptions/acknowledged", at: "|/_meta",
			why: "patterns/subscriptions: must be the first message that carries the subscription's ID in _meta",
		},
	}
}

// laxer lists what they forbid and ours let pass.
func laxer() []difference {
	return []difference{
		{
			from: rev2607, name: ".*",
			at: ".*/(own|metadata)|/capabilities/(logging|completions)|/data/requiredCapabilities/.*/(tools|context|url|form)",

			why: "JSONValue of the published schema has lost null and numbers with a fraction, which its TypeScript source has",
		},
		{
			name: "resources/.*|tools/call|prompts/get|notifications/resources/updated", at: ".*/uri",
			why: "the format is uri, but maintainers of an official SDK read it as any text, relative references too (python-sdk issue 1574)",
		},
		{
			name: "-32.*", at: "/code|/message",
			why: "the code has chosen the schema, and both are read with the message itself",
		},
	}
}

// Whatever the published schemas forbid ours forbid too, and what ours forbid besides
// stands in stricter with its reason. Both are put to full instances of each published
// definition, whole and with each part of them left out or replaced.
func TestOursAgainstThePublishedSchemas(t *testing.T) {
	strict, lax := newLedger(stricter()), newLedger(laxer())
	for _, revision := range revisions() {
		p := publish(t, revision)
		for table, entries := range counterparts(revision) {
			for _, name := range slices.Sorted(maps.Keys(entries)) {
				if find(revision, table, name) != nil {
					p.compare(t, table, name, entries[name], strict, lax)
				}
			}
		}
	}
	strict.unused(t)
	lax.unused(t)
}

func (p *published) compare(t *testing.T, table, name string, c counterpart, strict, lax *ledger) {
	t.Helper()
	judged := map[string]bool{}
	look := func(place string, value any) {
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if judged[string(raw)] {
			return
		}
		judged[string(raw)] = true
		ours, theirs := judge(p.revision, table, name, raw), p.good(t, c, value)
		var at string
		if e := (*Error)(nil); errors.As(ours, &e) {
			at = e.Path
		}
		switch {
		case ours != nil && theirs && !strict.has(p.revision, name, at):
			t.Errorf("%s %s: stricter than the published schema: %v\n%.300s", p.revision, name, ours, raw)
		case ours == nil && !theirs && !lax.has(p.revision, name, place):
			t.Errorf("%s %s: laxer than the published schema at %s\n%.300s", p.revision, name, place, raw)
		}
	}
	m := mutator{look, map[string]bool{}}
	for _, def := range c.defs {
		if def == "InputRequiredResult" && name != "tools/call" {
			continue // it is the same for all
		}
		for _, whole := range p.instances(def, c.member) {
			if !p.good(t, c, whole) {
				raw, _ := json.Marshal(whole)
				t.Fatalf("%s %s: the generator made what the published schema forbids: %s", p.revision, def, raw)
			}
			look("", whole)
			m.mutate(whole, "", func(v any) any { return v })
		}
	}
	t.Logf("%s %s: %d instances", p.revision, name, len(judged))
}

// ledger remembers which differences were met.
type ledger struct {
	all []difference
	met map[int]bool
}

func newLedger(all []difference) *ledger { return &ledger{all, map[int]bool{}} }

func (l *ledger) has(revision, name, at string) bool {
	for i, d := range l.all {
		if d.from <= revision && (d.to == "" || revision <= d.to) && matches(d.name, name) && matches(d.at, at) {
			l.met[i] = true
			return true
		}
	}
	return false
}

func matches(pattern, text string) bool {
	return regexp.MustCompile("^(" + pattern + ")$").MatchString(text)
}

func (l *ledger) unused(t *testing.T) {
	t.Helper()
	for i, d := range l.all {
		if !l.met[i] {
			t.Errorf("there is no such difference any more: %+v", d)
		}
	}
}
