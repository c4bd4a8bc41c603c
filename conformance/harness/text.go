package harness

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// text writes one frame for a reader, without its secrets.
func (r *run) text(f wire.Frame) string {
	red := r.options.Redactor
	switch f.Kind {
	case wire.FrameRequest:
		return f.Method + " " + red.URL(f.URL) + headers(red.Header(f.Header))
	case wire.FrameResponse:
		return fmt.Sprintf("%d %s", f.Status, http.StatusText(f.Status)) + headers(red.Header(f.Header))
	case wire.FrameMessage, wire.FrameBody, wire.FrameEvent, wire.FrameChunk, wire.FrameStderr:
		return strings.TrimRight(string(red.Bytes(contentType(f), f.Data)), "\r\n")
	case wire.FrameClose:
	}
	return f.Note
}

func contentType(f wire.Frame) string {
	switch f.Kind {
	case wire.FrameEvent:
		return "text/event-stream"
	case wire.FrameStderr:
		return "text/plain"
	}
	return "application/json"
}

func headers(h http.Header) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			b.WriteString("\n" + name + ": " + value)
		}
	}
	return b.String()
}
