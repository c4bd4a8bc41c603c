package mutants

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Chat lists the mutants of the built-in chat endpoint.
func Chat() []Mutant {
	return slices.Concat(chatRefusals(), chatDocuments(), chatStreams(), chatBridges(), chatAgents(), chatTools())
}

// spoilt lets edit change the answers that pick takes, stream or not, as a whole.
func spoilt(pick func(r *http.Request, body string) bool, edit func(a *httptest.ResponseRecorder)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(raw))
			a := httptest.NewRecorder()
			next.ServeHTTP(a, r)
			if pick(r, string(raw)) {
				edit(a)
			}
			for name, values := range a.Header() {
				w.Header()[name] = values
			}
			w.Header().Del("Content-Length")
			w.WriteHeader(a.Code)
			_, _ = w.Write(a.Body.Bytes()) // a client that is gone needs no answer
		})
	}
}

// chatAt picks the answers to GET of one path.
func chatAt(path string) func(*http.Request, string) bool {
	return func(r *http.Request, _ string) bool { return r.Method == http.MethodGet && r.URL.Path == path }
}

// saying picks the completions whose request holds a text.
func saying(text string) func(*http.Request, string) bool {
	return func(r *http.Request, body string) bool {
		return r.URL.Path == "/v1/chat/completions" && r.Method == http.MethodPost && strings.Contains(body, text)
	}
}

// everything picks every answer.
func everything(*http.Request, string) bool { return true }

// become answers something else.
func become(status int, body string) func(*httptest.ResponseRecorder) {
	return func(a *httptest.ResponseRecorder) {
		a.Code = status
		a.Body = bytes.NewBufferString(body)
	}
}

// swapText replaces text in an answer.
func swapText(from, to string) func(*httptest.ResponseRecorder) {
	return func(a *httptest.ResponseRecorder) {
		a.Body = bytes.NewBufferString(strings.ReplaceAll(a.Body.String(), from, to))
	}
}

// inDocuments changes completions that are no streams.
func inDocuments(from, to string) func(http.Handler) http.Handler {
	return spoilt(everything, func(a *httptest.ResponseRecorder) {
		if a.Code == http.StatusOK && strings.Contains(a.Body.String(), `"object":"chat.completion"`) {
			swapText(from, to)(a)
		}
	})
}

// inStreams changes streams, event by event.
func inStreams(edit func(events []string) []string) func(http.Handler) http.Handler {
	return spoilt(everything, func(a *httptest.ResponseRecorder) {
		if strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream") {
			events := strings.SplitAfter(a.Body.String(), "\n\n")
			a.Body = bytes.NewBufferString(strings.Join(edit(events[:len(events)-1]), ""))
		}
	})
}

// inErrors changes the error of every refusal.
func inErrors(edit func(e map[string]any)) func(http.Handler) http.Handler {
	return spoilt(everything, func(a *httptest.ResponseRecorder) {
		var body map[string]map[string]any
		if a.Code < 400 || json.Unmarshal(a.Body.Bytes(), &body) != nil {
			return
		}
		edit(body["error"])
		raw, err := json.Marshal(body)
		if err != nil {
			panic(err) // it was JSON
		}
		a.Body = bytes.NewBuffer(raw)
	})
}

// claimedLate makes every call whose key another call is using at that moment, as a
// bridge does that looks a key up before the call and stores it after.
func claimedLate(next http.Handler) http.Handler {
	var mu sync.Mutex
	using := map[string]chan struct{}{} // closed when a second call comes
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("X-Idempotency-Key")
		if key == "" {
			next.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		second, used := using[key]
		if used {
			delete(using, key)
			close(second)
			r.Header.Del("X-Idempotency-Key")
		} else {
			second = make(chan struct{})
			using[key] = second
		}
		mu.Unlock()
		if !used {
			select {
			case <-second:
			case <-time.After(50 * time.Millisecond): // it comes alone
				mu.Lock()
				delete(using, key)
				mu.Unlock()
			}
		}
		next.ServeHTTP(w, r)
	})
}
