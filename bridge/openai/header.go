package openai

import (
	"maps"
	"net/http"
	"sync"
)

// Header holds the HTTP headers that a backend gives to its answer. It may be used by
// several goroutines: a keep-alive comment may send the heads while they are written.
type Header struct {
	mu     sync.Mutex
	values http.Header
}

// Set sets a header. It has no effect once the heads are sent; see [Reply.Begun].
func (h *Header) Set(name, value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.values == nil {
		h.values = http.Header{}
	}
	h.values.Set(name, value)
}

// Get returns what was set under the name.
func (h *Header) Get(name string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.values.Get(name)
}

// copyTo puts what was set into the headers of an answer.
func (h *Header) copyTo(dst http.Header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.Copy(dst, h.values)
}
