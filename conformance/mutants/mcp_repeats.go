package mutants

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
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
			ID: "answers-by-id-alone", Doc: "a request whose id waits in another session gets the answer to that one",
			Kills: []string{"mcp.idempotency.same-id-two-connections"}, Revision: mcp.Rev2511, Wrap: byIDAlone,
		},
		{
			ID: "answers-kept-by-id", Doc: "a request whose id was used in its session gets the answer to the one before",
			Kills: []string{"mcp.idempotency.same-id-one-connection"}, Revision: mcp.Rev2511, Wrap: keptByID,
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
				sendJSON(w, http.StatusOK, wire.Failure(m.ID, internalError, "the server is busy", nil))
				return
			}
			pass(moment)
			busy.Delete(session)
		}
		next.ServeHTTP(w, r)
	})
}

// answered is one answer for all that ask under one key.
type answered struct {
	session string // of the first to ask
	once    sync.Once
	status  int
	body    []byte
}

// serve lets the good peer answer once, and gives that to everyone.
func (a *answered) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	a.once.Do(func() {
		got := httptest.NewRecorder()
		next.ServeHTTP(got, r)
		a.status, a.body = got.Code, answerIn(got.Body.Bytes())
	})
	sendJSON(w, a.status, a.body)
}

// answerIn returns the message of the last event, or the body where it is no stream.
func answerIn(body []byte) []byte {
	events := wire.NewEventReader(bytes.NewReader(body), 0)
	for {
		e, err := events.Next()
		if err != nil {
			return body
		}
		if len(e.Data) > 0 {
			body = e.Data
		}
	}
}

// byIDAlone gives one answer to the requests of all sessions that are on their way
// under one id.
func byIDAlone(next http.Handler) http.Handler {
	var waiting sync.Map // by id
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		if !ok {
			return
		}
		if !isRepeatable(m) {
			next.ServeHTTP(w, r)
			return
		}
		mine := &answered{session: r.Header.Get("Mcp-Session-Id")}
		one, waits := waiting.LoadOrStore(m.ID.String(), mine)
		theirs := one.(*answered)
		if waits && theirs.session == mine.session {
			next.ServeHTTP(w, r)
			return
		}
		pass(moment)
		theirs.serve(next, w, r)
		waiting.CompareAndDelete(m.ID.String(), one)
	})
}

// keptByID gives one answer to all requests of a session under one id.
func keptByID(next http.Handler) http.Handler {
	var kept sync.Map // by session and id
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		if !ok {
			return
		}
		if !isRepeatable(m) {
			next.ServeHTTP(w, r)
			return
		}
		one, _ := kept.LoadOrStore(r.Header.Get("Mcp-Session-Id")+" "+m.ID.String(), &answered{})
		one.(*answered).serve(next, w, r)
	})
}

// isRepeatable tells whether the answer to a request is all that it brings about.
func isRepeatable(m wire.Message) bool {
	return m.Kind == wire.KindRequest && (m.Method == "ping" || isList(m))
}
