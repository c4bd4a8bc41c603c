package chat

import (
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

// Where the rules stand. OpenAI's reference is written from the schemas in its repository
// openai-openapi, and says what its own service answers: what those schemas require of an
// answer is a MUST here. What only its guides or examples show is a SHOULD at most, as are
// statuses, which HTTP leaves to the server.
const (
	reference   = "https://developers.openai.com/api/reference/resources/"
	listURL     = reference + "models/methods/list"
	retrieveURL = reference + "models/methods/retrieve"
	createURL   = reference + "chat/subresources/completions/methods/create"
	chunkURL    = reference + "chat/subresources/completions/streaming-events"
	errorURL    = "https://developers.openai.com/api/docs/guides/error-codes"
	statusURL   = "https://www.rfc-editor.org/rfc/rfc9110#section-15.5"
	bridgeDocs  = "https://github.com/peerwright/peerwright/blob/main/docs/bridge-api.md"
)

// Suite returns every case and monitor for chat endpoints.
func Suite() conformance.Suite {
	return conformance.Suite{Cases: Cases(), Monitors: Monitors()}
}

// Cases lists the active checks.
func Cases() []conformance.Case {
	return slices.Concat(
		modelCases(), refusalCases(), completionCases(), streamCases(),
		bridgeCases(), agentCases(), toolCases(), argumentCases(), pageCases(), keyCases(),
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
