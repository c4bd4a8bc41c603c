package a2apeer

import (
	"net/http"
	"strings"
)

// headerVersion is the service parameter that names the version, also as the name
// of a query parameter.
//
// https://a2a-protocol.org/latest/specification/#36-versioning
const headerVersion = "A2A-Version"

// The versions that the agent speaks.
const (
	version1 = "1.0"
	version0 = "0.3"
)

// mediaA2A is the media type of A2A messages over HTTP+JSON.
//
// https://a2a-protocol.org/latest/specification/#111-protocol-requirements
const mediaA2A = "application/a2a+json"

// requestedVersion is the version that a request asks for, without its patch
// number, which does not count. A request that names none is of 0.3.
//
// https://a2a-protocol.org/latest/specification/#362-server-responsibilities
func requestedVersion(r *http.Request) string {
	version := strings.TrimSpace(r.Header.Get(headerVersion)) //nolint:canonicalheader // as A2A spells it
	if version == "" {
		version = strings.TrimSpace(r.URL.Query().Get(headerVersion))
	}
	if version == "" {
		return version0
	}
	if parts := strings.SplitN(version, ".", 3); len(parts) == 3 {
		return parts[0] + "." + parts[1]
	}
	return version
}
