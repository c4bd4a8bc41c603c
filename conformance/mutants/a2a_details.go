package mutants

import (
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// a2aDetails are agents whose errors do not say what they should.
func a2aDetails() []Mutant {
	return []Mutant{
		{
			ID: "details-are-an-object", Doc: "the data of an error is an object",
			Kills: []string{"a2a.errors.details", "a2a.errors.error-info"}, Revision: "1.0",
			Swap: errorData(func([]any) any { return map[string]any{"reason": "it failed"} }),
		},
		{
			ID: "details-with-a-bare-one", Doc: "the data of an error has an object without @type besides",
			Kills: []string{"a2a.errors.details"}, Revision: "1.0",
			Swap: errorData(func(details []any) any { return append(details, map[string]any{"hint": "try another"}) }),
		},
		{
			ID: "errors-without-data", Doc: "errors have a code and a message alone",
			Kills: []string{"a2a.errors.error-info"}, Revision: "1.0", Swap: errorData(func([]any) any { return nil }),
		},
		{
			ID: "reason-named-like-the-error", Doc: "the reason is TaskNotFoundError instead of TASK_NOT_FOUND",
			Kills: []string{"a2a.errors.error-info"}, Revision: "1.0",
			Swap: errorData(func(details []any) any {
				for _, d := range details {
					if info := d.(map[string]any); info["reason"] == "TASK_NOT_FOUND" {
						info["reason"] = "TaskNotFoundError"
					}
				}
				return details
			}),
		},
		{
			ID: "status-with-a-grpc-code", Doc: "the code in an HTTP+JSON error is that of gRPC",
			Kills: []string{"a2a.errors.status-body"}, Revision: "1.0", Binding: "HTTP+JSON",
			Wrap: statusBodies(func(fault map[string]any) any { fault["code"] = 5; return map[string]any{"error": fault} }),
		},
		{
			ID: "status-without-error", Doc: "an HTTP+JSON error stands at the top of the body",
			Kills: []string{"a2a.errors.status-body", "a2a.errors.http-error-info"}, Revision: "1.0", Binding: "HTTP+JSON",
			Wrap: statusBodies(func(fault map[string]any) any { return fault }),
		},
		{
			ID: "status-of-another-domain", Doc: "the ErrorInfo of an HTTP+JSON error has the domain of the agent",
			Kills: []string{"a2a.errors.http-error-info"}, Revision: "1.0", Binding: "HTTP+JSON",
			Wrap: statusBodies(func(fault map[string]any) any {
				for _, info := range elements(fault, "details") {
					info["domain"] = "agent.example.com"
				}
				return map[string]any{"error": fault}
			}),
		},
		{
			ID: "ill-typed-body-is-internal", Doc: "a body of HTTP+JSON that does not decode is HTTP 500",
			Kills: []string{"a2a.errors.ill-typed-body", "a2a.errors.missing-params", "a2a.errors.empty-parts"}, Revision: "1.0", Binding: "HTTP+JSON",
			Wrap: documents(func(r *http.Request, status int, body []byte) (int, []byte) {
				if !strings.HasSuffix(r.URL.Path, "/message:send") || status != http.StatusBadRequest || !strings.Contains(string(body), "INVALID_PARAMS") {
					return status, body
				}
				return http.StatusInternalServerError, []byte(`{"error":{"code":500,"status":"INTERNAL","message":"it failed"}}`)
			}),
		},
		{
			ID: "unknown-task-is-400", Doc: "a task that does not exist is HTTP 400",
			Kills: []string{"a2a.errors.unknown-task"}, Revision: "1.0", Binding: "HTTP+JSON",
			Wrap: documents(func(r *http.Request, status int, body []byte) (int, []byte) {
				if r.Method != http.MethodGet || status != http.StatusNotFound || !strings.Contains(r.URL.Path, "/tasks/") {
					return status, body
				}
				return http.StatusBadRequest, edited(body, func(o map[string]any) { member(o, "error")["code"] = 400 })
			}),
		},
	}
}

// errorData edits the data of A2A errors.
func errorData(edit func(details []any) any) Swap {
	return func(_, m wire.Message) [][]byte {
		if m.Kind != wire.KindError || m.Error.Code > -32001 {
			return keep(m)
		}
		return [][]byte{edited(m.Raw, func(response map[string]any) {
			fault := member(response, "error")
			details, _ := fault["data"].([]any)
			if fault["data"] = edit(details); fault["data"] == nil {
				delete(fault, "data")
			}
		})}
	}
}

// statusBodies edits the errors of HTTP+JSON.
func statusBodies(edit func(fault map[string]any) any) func(http.Handler) http.Handler {
	return documents(func(_ *http.Request, status int, body []byte) (int, []byte) {
		if status < http.StatusBadRequest {
			return status, body
		}
		return status, encode(edit(member(decode(body), "error")))
	})
}
