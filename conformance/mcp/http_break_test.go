package mcp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// before makes a wrap that may answer a request itself, when it returns true.
func before(answer func(w http.ResponseWriter, r *http.Request, m wire.Message) bool) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(raw))
			if !answer(w, r, wire.Parse(raw)) {
				h.ServeHTTP(w, r)
			}
		})
	}
}

// refuse makes a wrap that refuses some requests by HTTP status 400 and a plain text.
func refuse(which func(wire.Message) bool, text string) func(http.Handler) http.Handler {
	return before(func(w http.ResponseWriter, _ *http.Request, m wire.Message) bool {
		if which(m) {
			http.Error(w, text, http.StatusBadRequest)
		}
		return which(m)
	})
}

func isInitialize(m wire.Message) bool { return m.Method == "initialize" }

func asksFor2099(m wire.Message) bool {
	version, _ := wire.Text(wire.Get(m.Params, "protocolVersion"))
	return version == "2099-12-31"
}

// without takes a header away before the server sees it.
func without(name string) func(http.Handler) http.Handler {
	return before(func(_ http.ResponseWriter, r *http.Request, _ wire.Message) bool {
		r.Header.Del(name)
		return false
	})
}

func anyOrigin(h http.Handler) http.Handler  { return without("Origin")(h) }
func anyVersion(h http.Handler) http.Handler { return without("Mcp-Protocol-Version")(h) }

// wantsBoth refuses an Accept header that does not spell both types out.
func wantsBoth(h http.Handler) http.Handler {
	return before(func(w http.ResponseWriter, r *http.Request, _ wire.Message) bool {
		if r.Header.Get("Accept") != "*/*" {
			return false
		}
		http.Error(w, "name both", http.StatusNotAcceptable)
		return true
	})(h)
}

// onMethod answers one HTTP method by itself.
func onMethod(method, contentType, body string) func(http.Handler) http.Handler {
	return before(func(w http.ResponseWriter, r *http.Request, _ wire.Message) bool {
		if r.Method != method {
			return false
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
		return true
	})
}

// heals sets a header right before the server sees it.
func heals(name string, value func(wire.Message) string) func(http.Handler) http.Handler {
	return before(func(_ http.ResponseWriter, r *http.Request, m wire.Message) bool {
		if m.Kind == wire.KindRequest {
			r.Header.Set(name, value(m))
		}
		return false
	})
}

// rewrites changes what stands in the bodies and headers of answers.
func rewrites(old, new string) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			for name, values := range rec.Header() {
				w.Header().Set(name, strings.ReplaceAll(values[0], old, new))
			}
			w.WriteHeader(rec.Code)
			_, _ = w.Write(bytes.ReplaceAll(rec.Body.Bytes(), []byte(old), []byte(new)))
		})
	}
}

// session changes the session id of each request before the server sees it.
func session(change func(id string, m wire.Message) string) func(http.Handler) http.Handler {
	return before(func(_ http.ResponseWriter, r *http.Request, m wire.Message) bool {
		if id := change(r.Header.Get("Mcp-Session-Id"), m); id != "" {
			r.Header.Set("Mcp-Session-Id", id)
		}
		return false
	})
}
