package transport

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// mergeHeader returns the headers, each with those of the later sets in place of
// those of the earlier. A nil value leaves the header out, as in Outgoing.Header.
// Names count without their case.
func mergeHeader(sets ...http.Header) http.Header {
	merged := http.Header{}
	for _, from := range sets {
		for name, values := range from {
			merged[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	maps.DeleteFunc(merged, func(name string, values []string) bool {
		return values == nil && name != "User-Agent"
	})
	if agent, given := merged["User-Agent"]; given && agent == nil {
		merged["User-Agent"] = []string{""} // how net/http is told to send none
	}
	return merged
}

// sendOnce keeps net/http from sending a POST again by itself when its connection breaks,
// which it does where one of these headers says that the peer would not mind. Whether it
// would is for the caller to judge, who must know that the call was made twice. A name in
// another spelling is the same on the wire, and not seen by net/http.
func sendOnce(h http.Header) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values, there := h[name]; there {
			delete(h, name)
			h[strings.ToLower(name)] = values
		}
	}
}

// userAgent is what the HTTP transports call themselves where no header says
// otherwise.
const userAgent = "peerwright"
