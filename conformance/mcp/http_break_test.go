package mcp

import (
	"bytes"
	"io"
	"net/http"

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
