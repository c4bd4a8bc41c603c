package a2a

import (
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// schemaMonitors compare everything that came with the shapes of the version.
func schemaMonitors() []conformance.Monitor {
	return []conformance.Monitor{requiredMembers(), onePartContent(), enumWords(), camelCase(), utcTimestamps()}
}

func requiredMembers() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.schema.required-members", Title: "Objects have the members that are required of them",
			Area: conformance.Schema, Level: reporters.Must, Revisions: everyRevision(),
			Rule: rule("Required members are present and set in tasks, statuses, messages, artifacts, updates and push configurations; in "+
				"1.0 parts has an element.", spec10+"#57-field-presence-and-optionality"),
			Fix: "Fill in the member; before 1.0 the most forgotten ones are kind, contextId and final.",
		},
		Judge: judgeShapes("", missing, mistyped),
	}
}

func onePartContent() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.schema.one-content", Title: "A part holds exactly one kind of content",
			Area: conformance.Schema, Level: reporters.Must, Revisions: everyRevision(),
			Rule: rule("In 1.0 a Part has exactly one of text, raw, url and data; before it, a file has either bytes or a uri.", spec10+"#416-part"),
			Fix:  "Make one part for each piece of content.",
		},
		Judge: judgeShapes("parts", ambiguous),
	}
}

func enumWords() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.schema.enum-words", Title: "States, roles and kinds are spelt as the version spells them",
			Area: conformance.Schema, Level: reporters.Must, Revisions: everyRevision(),
			Rule: rule("Enum values are the names of the protobuf definition in 1.0 (TASK_STATE_COMPLETED, ROLE_AGENT), and the words of the "+
				"schema before it (completed, agent); never numbers.", spec10+"#55-json-field-naming-convention"),
			Fix: "Translate states and roles when a message leaves for a client of another version.",
		},
		Judge: judgeShapes("", misspelt),
	}
}

func camelCase() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.schema.camel-case", Title: "Member names are in camelCase",
			Area: conformance.Schema, Level: reporters.Must, Revisions: since10(),
			Rule: rule("JSON names are camelCase: contextId, not context_id.", spec10+"#55-json-field-naming-convention"),
			Fix:  "Turn off the option of the protobuf encoder that keeps the names of the definition.",
		},
		Judge: judgeShapes("", snakeCase),
	}
}

func utcTimestamps() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.schema.timestamps", Title: "Timestamps are in UTC",
			Area: conformance.Schema, Level: reporters.Must, Revisions: since10(),
			Rule: rule("A timestamp is an ISO 8601 time that ends in Z, and has no other offset.", spec10+"#561-timestamps"),
			Fix:  "Convert to UTC before a timestamp is written.",
		},
		Judge: judgeShapes("timestamp", badTime),
	}
}

// judgeShapes reports the problems of the given kinds in all results of a trace. A
// result puts the rule to work when it has the member sign in it, or always for "".
// Hostile conversations are left out: an agent may hand back what it was sent.
func judgeShapes(sign string, kinds ...problemKind) func(conformance.Trace) conformance.Judgement {
	return func(t conformance.Trace) (j conformance.Judgement) {
		if t.Hostile {
			return j
		}
		for _, x := range exchanges(t) {
			for _, a := range x.answers {
				x.judgeShape(&j, a, sign, kinds)
			}
		}
		return j
	}
}

func (x *exchange) judgeShape(j *conformance.Judgement, a answered, sign string, kinds []problemKind) {
	result, ok := x.result(a)
	name, raw := x.shapeOf(result)
	if _, known := x.dialect().shapes()[name]; !ok || !known {
		return
	}
	if sign == "" || slices.Contains(memberNames(raw), sign) {
		j.Exercised++
	}
	for _, p := range check(x.dialect(), name, raw) {
		if slices.Contains(kinds, p.kind) {
			x.found(j, a, p.expected, p.actual)
		}
	}
}

// shapeOf tells what a result has to be, by what was asked for.
func (x *exchange) shapeOf(result json.RawMessage) (string, json.RawMessage) {
	switch x.op {
	case a2ahttp.GetTask, a2ahttp.CancelTask:
		return "Task", result
	case a2ahttp.ListTasks:
		return "TaskList", result
	case a2ahttp.CreatePushConfig, a2ahttp.GetPushConfig:
		return "PushConfig", result
	case a2ahttp.SendMessage, a2ahttp.SendStreamingMessage, a2ahttp.SubscribeToTask:
		it := x.dialect().item(result)
		return map[kind]string{isTask: "Task", isMessage: "Message", isStatus: "StatusUpdate", isArtifact: "ArtifactUpdate"}[it.Kind], it.Raw
	case a2ahttp.ListPushConfigs, a2ahttp.DeletePushConfig, a2ahttp.GetExtendedCard:
	}
	return "", nil
}

// memberNames lists the names of all members, at any depth.
func memberNames(raw []byte) []string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return nil
	}
	return namesIn(value)
}

func namesIn(value any) (names []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			names = append(append(names, name), namesIn(inner)...)
		}
	case []any:
		for _, inner := range v {
			names = append(names, namesIn(inner)...)
		}
	}
	return names
}
