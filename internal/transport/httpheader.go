package transport

import (
	"maps"
	"net/http"
	"slices"
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

// userAgent is what the HTTP transports call themselves where no header says
// otherwise.
const userAgent = "peerwright"
