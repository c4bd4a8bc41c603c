package transport

import (
	"maps"
	"net/http"
	"slices"
)

// mergeHeader returns base with the headers of over in place of its own. A nil
// value in either leaves the header out, as in Outgoing.Header. Names count
// without their case.
func mergeHeader(base, over http.Header) http.Header {
	merged := make(http.Header, len(base)+len(over)+1)
	for _, from := range []http.Header{base, over} {
		for name, values := range from {
			name = http.CanonicalHeaderKey(name)
			delete(merged, name)
			merged[name] = slices.Clone(values)
		}
	}
	maps.DeleteFunc(merged, func(name string, values []string) bool {
		return values == nil && name != "User-Agent"
	})
	if agent, given := merged["User-Agent"]; !given {
		merged.Set("User-Agent", userAgent)
	} else if agent == nil {
		merged["User-Agent"] = []string{""} // how net/http is told to send none
	}
	return merged
}

// userAgent is what the HTTP transports call themselves where no header says
// otherwise.
const userAgent = "peerwright"
