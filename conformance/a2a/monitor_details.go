package a2a

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const httpErrors = spec10 + "#116-error-handling"

// detailMonitors read what errors say besides their code.
func detailMonitors() []conformance.Monitor {
	return []conformance.Monitor{detailObjects(), rpcErrorInfo(), statusBody(), httpErrorInfo()}
}

func detailObjects() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.errors.details", Title: "The data of an A2A error is a list of typed objects",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since10(), Needs: needs(JSONRPC),
			Rule: rule("error.data of an A2A error is an array of objects, each with @type. The errors of JSON-RPC itself are not judged: "+
				"the text of 1.0.0 shows one with an object.", rpcErrors10),
			Fix: `Send error.data as an array, such as [{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}].`,
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return eachError(t, func(x *exchange, a answered, j *conformance.Judgement) {
				if data := a.message.Error.Data; data != nil {
					j.Exercised++
					if problem := detailProblem(data); problem != "" {
						x.found(j, a, "error.data to be an array of objects with @type", problem)
					}
				}
			})
		},
	}
}

// eachError calls judge for every JSON-RPC response with an A2A error.
func eachError(t conformance.Trace, judge func(*exchange, answered, *conformance.Judgement)) (j conformance.Judgement) {
	for _, x := range exchanges(t) {
		for _, a := range x.answers {
			if a.message.Kind == wire.KindError && a.message.Error.Code <= -32001 && a.message.Error.Code >= -32099 {
				judge(x, a, &j)
			}
		}
	}
	return j
}

func detailProblem(details json.RawMessage) string {
	var items []json.RawMessage
	if json.Unmarshal(details, &items) != nil || items == nil {
		return clip(string(details))
	}
	for _, item := range items {
		if text(item, "@type") == "" {
			return "an element without @type: " + clip(string(item))
		}
	}
	return ""
}

func rpcErrorInfo() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.errors.error-info", Title: "An A2A error names its reason",
			Area: conformance.Errors, Level: reporters.Should, Revisions: since10(), Needs: needs(JSONRPC),
			Rule: rule("The data of an A2A error has a google.rpc.ErrorInfo with the reason that belongs to the code and the domain "+
				"a2a-protocol.org. 1.0.0 makes this a MUST and 1.0.1 a SHOULD, so an agent without is warned.", rpcErrors10),
			Fix: "Add an ErrorInfo with reason (TASK_NOT_FOUND for -32001) and domain to error.data.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return eachError(t, func(x *exchange, a answered, j *conformance.Judgement) {
				reason := a2ahttp.ReasonOf(a.message.Error.Code)
				if reason == "" {
					return // a code of the agent's own
				}
				j.Exercised++
				if problem := infoProblem(a.message.Error.Data, reason); problem != "" {
					x.found(j, a, "an ErrorInfo with the reason "+reason, problem)
				}
			})
		},
	}
}

// infoProblem says what is wrong with the ErrorInfo among the details. An empty
// reason accepts any.
func infoProblem(details json.RawMessage, reason string) string {
	var items []json.RawMessage
	_ = json.Unmarshal(details, &items) // what is no array has no ErrorInfo
	for _, item := range items {
		if text(item, "@type") != a2ahttp.ErrorInfoType {
			continue
		}
		got, domain := text(item, "reason"), text(item, "domain")
		if got == "" || reason != "" && got != reason || domain != "a2a-protocol.org" {
			return clip(string(item))
		}
		return ""
	}
	return "the details " + clip(orNone(details))
}

func statusBody() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.errors.status-body", Title: "A failed HTTP+JSON call has a google.rpc.Status as body",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since10(), Needs: needs(HTTPJSON),
			Rule: rule("The body of an HTTP error is an object with error, which has a code equal to the HTTP status, a message, and "+
				"details with @type. The examples of the text show problem documents, so application/problem+json is accepted.", httpErrors),
			Fix: `Answer {"error":{"code":404,"status":"NOT_FOUND","message":"…","details":[…]}}.`,
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return eachFailure(t, func(x *exchange, a answered, j *conformance.Judgement) {
				j.Exercised++
				if problem := statusProblem(a.raw, x.response.Status); problem != "" {
					x.found(j, a, "a google.rpc.Status in error", problem)
				}
			})
		},
	}
}

// eachFailure calls judge for every HTTP+JSON answer of the agent that is a 4xx. What
// stands before an agent may answer 5xx, 401, 403, 405 and 429 in its own words.
func eachFailure(t conformance.Trace, judge func(*exchange, answered, *conformance.Judgement)) (j conformance.Judgement) {
	for _, x := range exchanges(t) {
		status := x.response.Status
		if x.rpc() || status/100 != 4 || slices.Contains([]int{401, 403, 405, 429}, status) || len(x.answers) != 1 {
			continue
		}
		if transport.MediaType(x.response.Header) != "application/problem+json" {
			judge(x, x.answers[0], &j)
		}
	}
	return j
}

func statusProblem(body []byte, status int) string {
	fault := wire.Get(body, "error")
	details := wire.Get(fault, "details")
	switch {
	case fault == nil:
		return "a body without error: " + clip(string(body))
	case number(fault, "code") != status:
		return fmt.Sprintf("the code %s under HTTP %d", orNone(wire.Get(fault, "code")), status)
	case text(fault, "message") == "":
		return "no message: " + clip(string(body))
	case details != nil:
		return detailProblem(details)
	}
	return ""
}

func httpErrorInfo() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.errors.http-error-info", Title: "A failed HTTP+JSON call names the A2A error",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since10(), Needs: needs(HTTPJSON),
			Rule: rule("An A2A error has a google.rpc.ErrorInfo among its details, with reason and domain, because one HTTP status stands "+
				"for several errors. Judged by HTTP 404 of a task, which can be nothing else.", httpErrors),
			Fix: "Add an ErrorInfo with reason (TASK_NOT_FOUND) and domain a2a-protocol.org to error.details.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return eachFailure(t, func(x *exchange, a answered, j *conformance.Judgement) {
				if x.response.Status != 404 || x.op != a2ahttp.GetTask && x.op != a2ahttp.CancelTask {
					return
				}
				j.Exercised++
				if problem := infoProblem(wire.Path(a.raw, "error", "details"), ""); problem != "" {
					x.found(j, a, "an ErrorInfo with the reason TASK_NOT_FOUND", problem)
				}
			})
		},
	}
}
