package mutants

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpRepeats are servers that answer the same question differently.
func mcpRepeats() []Mutant {
	var prompts, tools atomic.Int64
	return []Mutant{
		{
			ID: "prompts-renamed", Doc: "the first prompt has another name each time that the prompts are listed",
			Kills: []string{"mcp.idempotency.list-repeats"}, Revision: mcp.Rev2511,
			Swap: results("prompts/list", func(request wire.Message, r map[string]any) any {
				if _, later := cursorOf(request); !later {
					r["prompts"].([]any)[0].(map[string]any)["name"] = fmt.Sprintf("explain_%d", prompts.Add(1))
				}
				return r
			}),
		},
		{
			ID: "tools-shuffled", Doc: "the tools of a page are listed in another order each time, in 2026-07-28",
			Kills: []string{"mcp.idempotency.tools-order"}, Revision: mcp.Rev2607,
			Swap: results("tools/list", func(_ wire.Message, r map[string]any) any {
				all := r["tools"].([]any)
				n := int(tools.Add(1)) % len(all)
				r["tools"] = append(append([]any{}, all[n:]...), all[:n]...)
				return r
			}),
		},
		{
			ID: "lists-of-each-connection", Doc: "the first prompt has another name on each connection, in 2026-07-28",
			Kills: []string{"mcp.idempotency.list-on-another-connection"}, Revision: mcp.Rev2607, Stdio: true,
			Pipe: perConnection(func() (Hear, Swap) {
				n := prompts.Add(1)
				return nil, results("prompts/list", func(request wire.Message, r map[string]any) any {
					if _, later := cursorOf(request); !later {
						r["prompts"].([]any)[0].(map[string]any)["name"] = fmt.Sprintf("explain_%d", n)
					}
					return r
				})
			}),
		},
	}
}

// mcpAtOnce are servers that mix up what is asked at once.
func mcpAtOnce() []Mutant {
	return []Mutant{
		{
			ID: "one-at-a-time", Doc: "a request that comes while another of its session is served is refused",
			Kills: []string{"mcp.idempotency.concurrent-requests"}, Revision: mcp.Rev2511, Wrap: oneAtATime,
		},
		{
			ID: "answers-by-id-alone", Doc: "a ping under an id that waits for a list in another session gets that list",
			Kills: []string{"mcp.idempotency.same-id-two-connections"}, Revision: mcp.Rev2511,
			Wrap: answersPing(func(list, ping string) bool { return list != ping }),
		},
		{
			ID: "answers-by-session-and-id", Doc: "a ping under an id that waits for a list in its session gets that list",
			Kills: []string{"mcp.idempotency.same-id-one-connection"}, Revision: mcp.Rev2511,
			Wrap: answersPing(func(list, ping string) bool { return list == ping }),
		},
	}
}

// moment is how long a server takes that is to be found with two requests at once.
const moment = 5 * time.Millisecond

func pass(d time.Duration) { <-time.After(d) }

// oneAtATime serves one request of a session at a time.
func oneAtATime(next http.Handler) http.Handler {
	var busy sync.Map // by session id
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		if !ok {
			return
		}
		session := r.Header.Get("Mcp-Session-Id")
		if m.Kind == wire.KindRequest && session != "" {
			if _, taken := busy.LoadOrStore(session, true); taken {
				sendJSON(w, wire.Failure(m.ID, internalError, "the server is busy", nil))
				return
			}
			pass(moment)
			busy.Delete(session)
		}
		next.ServeHTTP(w, r)
	})
}

// answersPing makes a Wrap that answers a ping with the list that waits under its id,
// where the sessions of the two are such.
func answersPing(such func(list, ping string) bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		var waiting sync.Map // the sessions of the list requests on their way, by id
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m, ok := posted(w, r)
			if !ok {
				return
			}
			id, session := m.ID.String(), r.Header.Get("Mcp-Session-Id")
			switch {
			case isList(m):
				waiting.Store(id, session)
				pass(2 * moment)
				next.ServeHTTP(w, r)
				waiting.CompareAndDelete(id, session)
			case m.Method == "ping":
				pass(moment)
				if list, waits := waiting.Load(id); waits && such(list.(string), session) {
					sendJSON(w, wire.Result(m.ID, json.RawMessage(`{"tools":[]}`)))
					return
				}
				next.ServeHTTP(w, r)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}
