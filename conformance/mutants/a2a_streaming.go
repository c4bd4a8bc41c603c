package mutants

import (
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// The streaming methods of 1.0 and of 0.3.
const (
	sendStreaming   = "SendStreamingMessage"
	subscribeToTask = "SubscribeToTask"
	messageStream   = "message/stream"
)

// a2aStreams are agents whose streams begin or end wrongly.
func a2aStreams() []Mutant {
	return []Mutant{
		{
			ID: "streaming-declared-only", Doc: "streaming is declared, and refused as unsupported",
			Kills: []string{"a2a.streaming.declared"}, Revision: "1.0",
			Wrap: agentInstead(sendStreaming, func(id wire.ID, _ map[string]any, _ func(string, any) wire.Message) []byte {
				return agentFault(id, a2ahttp.CodeUnsupportedOperation)
			}),
		},
		{
			ID: "old-streaming-not-there", Doc: "streaming is declared, and message/stream an unknown method",
			Kills: []string{"a2a.streaming.declared"}, Revision: "0.3",
			Wrap: agentInstead(messageStream, func(id wire.ID, _ map[string]any, _ func(string, any) wire.Message) []byte {
				return agentFault(id, noMethod)
			}),
		},
		{
			ID: "stream-of-json-lines", Doc: "a stream is application/x-ndjson",
			Kills: []string{"a2a.streaming.content-type"}, Revision: "1.0", Wrap: streamsTyped("application/x-ndjson"),
		},
		{
			ID: "stream-called-json", Doc: "a stream of HTTP+JSON is application/json",
			Kills: []string{"a2a.streaming.content-type"}, Revision: "1.0", Binding: "HTTP+JSON", Wrap: streamsTyped("application/json"),
		},
		{
			ID: "stream-begins-with-an-update", Doc: "a stream does not begin with its task",
			Kills: []string{"a2a.streaming.first-event"}, Revision: "1.0", Swap: withoutTask(sendStreaming),
		},
		{
			ID: "subscription-begins-with-an-update", Doc: "a subscription does not begin with its task",
			Kills: []string{"a2a.streaming.subscribe-first-event"}, Revision: "1.0", Agent: unhurried(), Swap: withoutTask(subscribeToTask),
		},
		{
			ID: "subscription-to-nothing", Doc: "a subscription to a task that does not exist is a stream without events",
			Kills: []string{"a2a.streaming.subscribe-unknown-task"}, Revision: "1.0", Wrap: emptySubscription,
		},
		{
			ID: "streams-held-open", Doc: "a stream is not closed when its task is over",
			Kills: []string{"a2a.streaming.closes"}, Revision: "1.0", Wrap: heldOpen,
		},
		{
			ID: "streams-cut-short", Doc: "a stream is closed before the task is over",
			Kills: []string{"a2a.streaming.ends-at-rest"}, Revision: "1.0", Swap: withoutState(sendStreaming, "TASK_STATE_COMPLETED"),
		},
		{
			ID: "old-streams-cut-short", Doc: "a stream of 0.3 is closed before the task is over",
			Kills: []string{"a2a.streaming.ends-at-rest"}, Revision: "0.3", Swap: withoutState(messageStream, "completed"),
		},
		{
			ID: "never-final", Doc: "no status-update of 0.3 has final:true",
			Kills: []string{"a2a.streaming.final"}, Revision: "0.3",
			Swap: results(messageStream, func(_ wire.Message, event map[string]any) any {
				if event["kind"] == "status-update" {
					event["final"] = false
				}
				return event
			}),
		},
		{
			ID: "always-final", Doc: "every status-update of 0.3 has final:true",
			Kills: []string{"a2a.streaming.final"}, Revision: "0.3",
			Swap: results(messageStream, func(_ wire.Message, event map[string]any) any {
				if event["kind"] == "status-update" {
					event["final"] = true
				}
				return event
			}),
		},
		{
			ID: "streamed-and-not-stored", Doc: "what was streamed is not stored: GetTask still says that the task is at work",
			Kills: []string{"a2a.streaming.agrees-with-task"}, Revision: "1.0", Swap: forgetsStreams(),
		},
	}
}

func streamsTyped(contentType string) func(http.Handler) http.Handler {
	return headed(func(_ *http.Request, _ wire.Message, status int, h http.Header) int {
		if strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
			h.Set("Content-Type", contentType)
		}
		return status
	})
}

// withoutTask drops the events that are a whole task.
func withoutTask(method string) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method == method && wire.Get(m.Result, "task") != nil {
			return nil
		}
		return keep(m)
	}
}

// withoutState drops the status updates that tell of a state.
func withoutState(method, state string) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method == method && m.Kind == wire.KindResult && strings.Contains(string(m.Result), `"`+state+`"`) {
			return nil
		}
		return keep(m)
	}
}

func emptySubscription(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		switch {
		case !ok:
		case m.Method == subscribeToTask && askAgent(next, r, "GetTask", decode(m.Params)).Kind == wire.KindError:
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func heldOpen(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		if !ok {
			return
		}
		next.ServeHTTP(w, r)
		if m.Method == sendStreaming {
			<-r.Context().Done()
		}
	})
}

// forgetsStreams remembers the tasks that were streamed, and shows them as they were.
func forgetsStreams() Swap {
	streamed := newMemory[bool]()
	return func(request, m wire.Message) [][]byte {
		switch id := string(wire.Path(m.Result, "task", "id")); {
		case request.Method == sendStreaming && id != "":
			streamed.put(id, true)
		case request.Method == "GetTask" && m.Kind == wire.KindResult:
			if _, is := streamed.get(string(wire.Get(m.Result, "id"))); is {
				return [][]byte{edited(m.Raw, func(response map[string]any) {
					member(member(response, "result"), "status")["state"] = "TASK_STATE_WORKING"
				})}
			}
		}
		return keep(m)
	}
}
