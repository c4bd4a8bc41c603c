package mcpserve

import (
	"mime"
	"net/http"
	"strings"
)

// checkMedia judges the media types of a POST.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
func checkMedia(r *http.Request) (int, *fault) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return http.StatusUnsupportedMediaType, faultf(codeInvalidRequest, "Content-Type must be application/json")
	}
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		return http.StatusNotAcceptable, faultf(codeInvalidRequest, "Accept must list application/json and text/event-stream")
	}
	return 0, nil
}

// accepts tells whether the client takes the media type, by name or by wildcard.
// One that says nothing takes anything.
//
// https://www.rfc-editor.org/rfc/rfc9110#field.accept
func accepts(r *http.Request, media string) bool {
	values := r.Header.Values("Accept")
	if len(values) == 0 {
		return true
	}
	family, _, _ := strings.Cut(media, "/")
	for _, item := range strings.Split(strings.Join(values, ","), ",") {
		name, _, _ := strings.Cut(item, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case media, family + "/*", "*/*":
			return true
		}
	}
	return false
}
