package mutants

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// swapped stands in front of an HTTP peer and lets swap rewrite the messages that
// answer each POST. It waits for the whole answer: a mutant need not be quick. The
// listening stream of a GET, which has no end, passes as it is.
func swapped(next http.Handler, swap Swap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		got := httptest.NewRecorder()
		next.ServeHTTP(got, r)
		rewrite(w, got, wire.Parse(body), swap)
	})
}

func rewrite(w http.ResponseWriter, got *httptest.ResponseRecorder, request wire.Message, swap Swap) {
	body := got.Body.Bytes()
	switch kind := got.Header().Get("Content-Type"); {
	case strings.HasPrefix(kind, "text/event-stream"):
		body = rewriteEvents(body, request, swap)
	case len(body) > 0 && wire.Parse(body).Kind != wire.KindInvalid:
		body = bytes.Join(swap(request, wire.Parse(body)), []byte("\n"))
	}
	for name, values := range got.Header() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(got.Code)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

func rewriteEvents(stream []byte, request wire.Message, swap Swap) []byte {
	var out []byte
	r := wire.NewEventReader(bytes.NewReader(stream), 0)
	for {
		e, err := r.Next()
		if err != nil {
			return out
		}
		if !e.Dispatched {
			out = append(out, e.Raw...)
			continue
		}
		for i, raw := range swap(request, wire.Parse(e.Data)) {
			event := wire.OutEvent{Type: e.Type, Data: raw}
			if i == 0 {
				event.ID, event.HasID = e.ID, e.HasID
			}
			out = wire.AppendEvent(out, event)
		}
	}
}
