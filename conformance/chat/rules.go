package chat

import (
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

// Where the rules stand.
const (
	reference  = "https://platform.openai.com/docs/api-reference/"
	listURL    = reference + "models/list"
	modelURL   = reference + "models/object"
	objectURL  = reference + "chat/object"
	chunkURL   = reference + "chat-streaming/streaming"
	createURL  = reference + "chat/create"
	errorURL   = "https://platform.openai.com/docs/guides/error-codes"
	statusURL  = "https://www.rfc-editor.org/rfc/rfc9110#section-15.5"
	bridgeDocs = "https://github.com/peerwright/peerwright/blob/main/docs/bridge-api.md"
)

// Suite returns every case and monitor for chat endpoints.
func Suite() conformance.Suite {
	return conformance.Suite{Cases: Cases(), Monitors: Monitors()}
}

// Cases lists the active checks.
func Cases() []conformance.Case {
	return slices.Concat(
		modelCases(), refusalCases(), completionCases(), streamCases(),
		bridgeCases(), toolCases(), argumentCases(), pageCases(), keyCases(),
	)
}

// about says what every case says in the same form.
func about(area conformance.Area, id, title string, level reporters.Level, needs []conformance.Feature, rule, url, fix string) conformance.Meta {
	return conformance.Meta{
		ID: "chat." + string(area) + "." + id, Title: title, Protocol: conformance.Chat, Area: area, Level: level,
		Revisions: []string{V1}, Needs: needs, Core: len(needs) == 0, Rule: reporters.Rule{Text: rule, URL: url}, Fix: fix,
	}
}

func needs(features ...conformance.Feature) []conformance.Feature { return features }

// clip shortens what is quoted.
func clip(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}
