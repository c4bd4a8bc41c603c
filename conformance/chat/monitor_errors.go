package chat

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// Monitors lists the passive checks: they judge every error that came.
func Monitors() []conformance.Monitor {
	return []conformance.Monitor{
		{
			Meta: about(conformance.Errors, "shape", "An error is an object with a message", reporters.Should, nil,
				`What is refused on /chat/completions and /models is answered with {"error":{"message":…}}, the ErrorResponse of the reference; clients read the message from there. A framework's own answers often look otherwise, and are warned.`, errorURL,
				"Answer every refusal with an error object, those of your framework included."),
			Judge: judging(apiError, func(a answer) string {
				if a.text("error", "message") == "" {
					return "an error object with a message"
				}
				return ""
			}),
		},
		{
			Meta: about(conformance.Errors, "members", "An error has type, param and code", reporters.Should, nil,
				"An error has type, which is text, and param and code, which are text or null. Many servers leave some out, or write numbers, and are warned.", errorURL,
				"Write all of them, null where there is nothing to say."),
			Judge: judging(apiError, func(a answer) string {
				if kind(a.at("error")) != "object" {
					return "" // shape tells
				}
				if kind(a.at("error", "type")) != "string" || !textOrNull(a.at("error", "param")) || !textOrNull(a.at("error", "code")) {
					return "type as text, param and code as text or null"
				}
				return ""
			}),
		},
		canonical("envelope", "Every error has the canonical envelope", "OpenAI's own members, class, retryable, suggested_backoff_ms, action and context stand in every error, in the words of the contract.",
			"Build every error from one table.", envelopeFault),
		canonical("status", "Status and class agree", "The HTTP status is that of the class; a malformed request has a status of its own.",
			"Take the status from the class.", statusFault),
		canonical("should-retry", "What clients are told about retries agrees", "x-should-retry is what retryable says, and Retry-After is there just when a wait is suggested.",
			"Write the headers from the members of the error.", retryFault),
	}
}

func canonical(id, title, rule, fix string, fault func(answer) string) conformance.Monitor {
	return conformance.Monitor{
		Meta:  about(conformance.Errors, id, title, reporters.Must, needs(Contract), rule, bridgeDocs+"#errors", fix),
		Judge: judging(func(method, url string, a answer) bool { return a.status >= 400 && !strings.HasSuffix(url, "/readyz") }, fault),
	}
}

// apiError picks the refusals that the peer itself must have made, on the routes that
// are OpenAI's.
func apiError(method, url string, a answer) bool {
	switch a.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests:
		return false // perhaps of what stands before it
	}
	return a.status/100 == 4 && (method == http.MethodPost && strings.HasSuffix(url, "/chat/completions") ||
		method == http.MethodGet && strings.Contains(url, "/models/"))
}

// judging puts every answer that is picked to the question what it lacks.
func judging(pick func(method, url string, a answer) bool, lacks func(answer) string) func(conformance.Trace) conformance.Judgement {
	return func(t conformance.Trace) (j conformance.Judgement) {
		byExchange := map[int][]wire.Frame{}
		var order []int
		for _, f := range t.Frames {
			if byExchange[f.Exchange] == nil {
				order = append(order, f.Exchange)
			}
			byExchange[f.Exchange] = append(byExchange[f.Exchange], f)
		}
		for _, n := range order {
			method, url, a := readExchange(byExchange[n])
			if !pick(method, url, a) {
				continue
			}
			j.Exercised++
			if what := lacks(a); what != "" {
				j.Violations = append(j.Violations, conformance.Violation{Expected: what, Actual: clip(string(a.body)), Frames: seqs(a.frames)})
			}
		}
		return j
	}
}

func readExchange(frames []wire.Frame) (method, url string, a answer) {
	for _, f := range frames {
		switch {
		case f.Kind == wire.FrameRequest:
			method, url = f.Method, f.URL
		case f.Kind == wire.FrameResponse:
			a.status, a.header = f.Status, f.Header
		case f.Dir == wire.In && (f.Kind == wire.FrameBody || f.Kind == wire.FrameChunk):
			a.body = append(a.body, f.Data...)
		}
	}
	a.frames = frames
	return method, url, a
}

// seqs tells which frames show it.
func seqs(frames []wire.Frame) (all []int) {
	for _, f := range frames {
		all = append(all, f.Seq)
	}
	return all
}

// actions are what may stand in action, by class.
func actions() map[string][]string {
	const wait, retry, none = "wait_and_retry", "retry", "not_applicable"
	return map[string][]string{
		"auth": {"fix_credentials"}, "permission": {"check_permissions"}, "invalid_args": {"fix_arguments"}, "not_found": {none, "fix_arguments"},
		"conflict": {none, "fix_arguments", retry}, "rate_limit": {wait}, "transient": {wait, retry, none}, "timeout": {wait, retry, none},
	}
}

func textOrNull(raw json.RawMessage) bool { return kind(raw) == "string" || kind(raw) == "null" }

func envelopeFault(a answer) string {
	if a.text("error", "message") == "" || a.text("error", "type") == "" || a.text("error", "code") == "" || !textOrNull(a.at("error", "param")) {
		return "message, type, code and param"
	}
	if !slices.Contains(actions()[a.text("error", "class")], a.text("error", "action")) {
		return "a class of the contract, and the action that goes with it"
	}
	if kind(a.at("error", "retryable")) != "boolean" || !slices.Contains([]string{"null", "integer"}, kind(a.at("error", "suggested_backoff_ms"))) {
		return "retryable, and suggested_backoff_ms as a number or null"
	}
	if !slices.Contains([]string{"not_run", "failed", "unknown"}, a.text("error", "context", "outcome")) || a.text("error", "context", "source") == "" {
		return "context with source and outcome"
	}
	return ""
}

func statusFault(a answer) string {
	class := a.text("error", "class")
	switch {
	case a.status == errclass.HTTPStatus(errclass.Class(class)), a.status == http.StatusInternalServerError && a.text("error", "code") == "internal_error":
		return ""
	case class == "invalid_args" && slices.Contains([]int{400, 405, 413, 415}, a.status), class == "timeout" && a.status == http.StatusRequestTimeout:
		return ""
	}
	return "a status that goes with class " + class
}

func retryFault(a answer) string {
	if said := a.header.Get("X-Should-Retry"); said != string(a.at("error", "retryable")) {
		return "x-should-retry as retryable says"
	}
	if (a.header.Get("Retry-After") != "") != (kind(a.at("error", "suggested_backoff_ms")) == "integer") {
		return "Retry-After just when a wait is suggested"
	}
	return ""
}
