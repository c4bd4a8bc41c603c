package recorder

import (
	"net/http"

	"github.com/peerwright/peerwright/internal/transport"
)

// RoundTripper returns an http.RoundTripper that sends through base (nil means a
// transport of its own) and records what passes. Bodies of answers pass as they are
// on the wire: nothing is decompressed. Give it to the http.Client of an MCP or A2A
// client in a test.
func RoundTripper(base http.RoundTripper, r *Recorder) http.RoundTripper {
	return transport.NewHTTP(transport.Options{Tap: r.Tap(), Header: defaultAgent()}, base)
}

// defaultAgent is what net/http says of itself when nothing is said, so that a
// client that is recorded sends what it sends otherwise.
func defaultAgent() http.Header { return http.Header{"User-Agent": {"Go-http-client/1.1"}} }
