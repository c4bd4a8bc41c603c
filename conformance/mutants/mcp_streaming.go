package mutants

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpProgress are servers that report progress, or take its tokens, wrongly.
func mcpProgress() []Mutant {
	return []Mutant{
		{
			ID: "number-token-refused", Doc: "a progress token that is a number is refused",
			Kills: []string{"mcp.streaming.progress-token-types"}, Revision: mcp.Rev2511,
			Swap: func(request, m wire.Message) [][]byte {
				token := wire.Path(request.Params, "_meta", "progressToken")
				if token == nil || token[0] == '"' || !m.IsResponse() {
					return keep(m)
				}
				return [][]byte{wire.Failure(m.ID, invalidParams, "progressToken: expected string", nil)}
			},
		},
		{
			ID: "progress-stands-still", Doc: "every progress notification has the same value",
			Kills: []string{"mcp.streaming.progress-increases"}, Revision: mcp.Rev2511,
			Swap: notes("notifications/progress", func(_ wire.Message, params map[string]any) [][]byte {
				params["progress"] = 1
				return progressOf(params)
			}),
		},
		{
			ID: "progress-under-another-token", Doc: "progress is reported under a token of the server's own",
			Kills: []string{"mcp.streaming.progress-only-asked"}, Revision: mcp.Rev2607,
			Swap: notes("notifications/progress", func(_ wire.Message, params map[string]any) [][]byte {
				params["progressToken"] = "job-1"
				return progressOf(params)
			}),
		},
		{
			ID: "progress-after-the-answer", Doc: "the last progress notification comes after the answer",
			Kills: []string{"mcp.streaming.progress-stops"}, Revision: mcp.Rev2511, Stdio: true,
			Swap: func(request, m wire.Message) [][]byte {
				token := wire.Path(request.Params, "_meta", "progressToken")
				if token == nil || m.Kind != wire.KindResult {
					return keep(m)
				}
				return append(keep(m), progressOf(map[string]any{"progressToken": token, "progress": 1000})...)
			},
		},
		{
			ID: "cancellation-ignored", Doc: "a call that was cancelled runs on, and is answered",
			Kills: []string{"mcp.cancellation.no-late-answer"}, Revision: mcp.Rev2511, Stdio: true, Server: slowly(),
			Hear: func(m wire.Message) ([]byte, []byte) {
				if m.Method == "notifications/cancelled" {
					return nil, nil
				}
				return m.Raw, nil
			},
		},
	}
}

// slowly is a server with a tool that takes half a second, in which it can be
// cancelled.
func slowly() mcppeer.Options { return mcppeer.Options{Step: 100 * time.Millisecond} }

func progressOf(params map[string]any) [][]byte {
	return [][]byte{wire.Notification("notifications/progress", encode(params))}
}

// mcpStreams are servers whose event streams carry what they must not, or lack what
// they should have.
func mcpStreams() []Mutant {
	return []Mutant{
		{
			ID: "streams-buffered", Doc: "event streams do not tell proxies to pass them on at once",
			Kills: []string{"mcp.streaming.unbuffered"}, Revision: mcp.Rev2607,
			Wrap: headed(func(_ *http.Request, _ wire.Message, status int, h http.Header) int {
				h.Del("X-Accel-Buffering")
				return status
			}),
		},
		{
			ID: "resumes-every-stream", Doc: "a resumed stream replays what was sent on the others",
			Kills: []string{"mcp.streaming.resume"}, Revision: mcp.Rev2511, Wrap: replaysAll,
		},
		{
			ID: "event-ids-repeat", Doc: "the ids of events are counted anew on each stream",
			Kills: []string{"mcp.streaming.event-ids-unique"}, Revision: mcp.Rev2511, Wrap: renumbered,
		},
		{
			ID: "log-after-the-answer", Doc: "a log message follows the answer on its stream",
			Kills: []string{"mcp.streaming.nothing-after-the-answer"}, Revision: mcp.Rev2511,
			Swap: afterCalls(logMessage()),
		},
		{
			ID: "answers-as-text", Doc: "an answer in one piece has the content type text/plain",
			Kills: []string{"mcp.streaming.content-type"}, Revision: mcp.Rev2511,
			Wrap: headed(func(_ *http.Request, m wire.Message, status int, h http.Header) int {
				if m.Kind == wire.KindRequest && status == http.StatusOK && h.Get("Content-Type") == "application/json" {
					h.Set("Content-Type", "text/plain; charset=utf-8")
				}
				return status
			}),
		},
	}
}

func logMessage() []byte {
	return wire.Notification("notifications/message", json.RawMessage(`{"level":"info","data":"done"}`))
}

// afterCalls makes a Swap that sends another message behind the result of each call.
func afterCalls(other []byte) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method != "tools/call" || m.Kind != wire.KindResult {
			return keep(m)
		}
		return append(keep(m), other)
	}
}

// eventWriter tells of each event, and writes what comes back.
type eventWriter struct {
	http.ResponseWriter
	edit func(block []byte) []byte // with its blank line
	kept []byte
}

// Write implements http.ResponseWriter; the good peer ends lines by LF.
func (w *eventWriter) Write(b []byte) (int, error) {
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		return w.ResponseWriter.Write(b)
	}
	w.kept = append(w.kept, b...)
	for {
		block, rest, whole := bytes.Cut(w.kept, []byte("\n\n"))
		if !whole {
			return len(b), nil
		}
		out := w.edit(append(bytes.Clone(block), "\n\n"...))
		w.kept = bytes.Clone(rest)
		if _, err := w.ResponseWriter.Write(out); err != nil {
			return 0, err
		}
	}
}

// Unwrap implements what http.ResponseController looks for.
func (w *eventWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// renumbered counts the events of each stream from 1.
func renumbered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 0
		next.ServeHTTP(&eventWriter{ResponseWriter: w, edit: func(block []byte) []byte {
			before, after, found := bytes.Cut(block, []byte("id: "))
			_, after, _ = bytes.Cut(after, []byte("\n"))
			if !found {
				return block
			}
			n++
			return bytes.Join([][]byte{before, []byte("id: "), strconv.AppendInt(nil, int64(n), 10), []byte("\n"), after}, nil)
		}}, r)
	})
}

// replaysAll keeps the events of every stream of a session, and gives all of them to
// a client that resumes one.
func replaysAll(next http.Handler) http.Handler {
	var mu sync.Mutex
	sent := map[string][]byte{} // by session id
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session := r.Header.Get("Mcp-Session-Id")
		if r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") != "" {
			mu.Lock()
			defer mu.Unlock()
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(sent[session]) // a client that is gone needs no answer
			return
		}
		next.ServeHTTP(&eventWriter{ResponseWriter: w, edit: func(block []byte) []byte {
			mu.Lock()
			defer mu.Unlock()
			sent[session] = append(sent[session], block...)
			return block
		}}, r)
	})
}
