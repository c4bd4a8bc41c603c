package transport_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
)

// net/http sends a POST again by itself when the connection breaks before the answer and a
// header says that this does no harm. Of a call that may change something no one else may
// decide that.
func TestAPostIsSentOnce(t *testing.T) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "idempotency-key"} {
		var calls atomic.Int32
		var key atomic.Value
		client, url, _ := tapped(t, transport.Options{}, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			if calls.Add(1) == 1 {
				return // and the connection is kept
			}
			key.Store(r.Header.Get(name))
			panic(http.ErrAbortHandler)
		})
		r := transport.HTTPRequest{Method: "POST", URL: url, Header: http.Header{name: {"k1"}}, Body: []byte("x")}
		readAll(t, do(t, client, r).Body)
		if _, err := client.Do(t.Context(), r); err == nil || calls.Load() != 2 || key.Load() != "k1" {
			t.Errorf("%s: %d requests, key %v, %v", name, calls.Load(), key.Load(), err)
		}
	}
}
