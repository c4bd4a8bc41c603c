package mutants

import (
	"net/http"

	"github.com/peerwright/peerwright/internal/wire"
)

// when picks HTTP requests; the message is that of a POST, the zero Message else.
type when func(r *http.Request, m wire.Message) bool

// reply makes a Wrap that answers the requests picked by itself.
func reply(pick when, status int, contentType, body string) func(http.Handler) http.Handler {
	return instead(pick, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a client that is gone needs no answer
	}))
}

// instead makes a Wrap that gives the requests picked to another handler.
func instead(pick when, other http.Handler) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m, ok := posted(w, r)
			switch {
			case !ok:
			case pick(r, m):
				other.ServeHTTP(w, r)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}

// reheaded makes a Wrap that changes the requests before the good peer gets them.
func reheaded(edit func(r *http.Request, m wire.Message)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if m, ok := posted(w, r); ok {
				edit(r, m)
				next.ServeHTTP(w, r)
			}
		})
	}
}

// headed makes a Wrap that changes the heads of the answers.
func headed(edit func(r *http.Request, m wire.Message, status int, h http.Header) int) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if m, ok := posted(w, r); ok {
				asked := r.Clone(r.Context()) // the good peer may change its own
				next.ServeHTTP(&headWriter{w, func(status int) int { return edit(asked, m, status, w.Header()) }, false}, r)
			}
		})
	}
}

// headWriter writes another head.
type headWriter struct {
	http.ResponseWriter
	edit  func(status int) int
	wrote bool
}

// WriteHeader implements http.ResponseWriter.
func (w *headWriter) WriteHeader(status int) {
	if !w.wrote {
		w.wrote = true
		w.ResponseWriter.WriteHeader(w.edit(status))
	}
}

// Write implements http.ResponseWriter.
func (w *headWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap implements what http.ResponseController looks for.
func (w *headWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
