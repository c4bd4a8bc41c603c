package redact

import (
	"bytes"
	"mime"
	"strings"
)

// Bytes returns the body of a message without its secrets, read as its content type says: JSON, a
// stream of server-sent events, one JSON document a line, a form, or else text. A type that is empty,
// wrong or unknown does no harm: JSON is recognised, and bytes that are no text stay as they are.
func (r *Redactor) Bytes(contentType string, b []byte) []byte {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	switch strings.TrimSpace(media) {
	case "text/event-stream":
		return r.events(b)
	case "application/x-ndjson", "application/jsonl", "application/jsonlines":
		return r.lines(b)
	case "application/x-www-form-urlencoded":
		return r.settle(b, func(b []byte) []span { return append(r.parameters(b, 0, len(b)), r.find(b)...) })
	}
	return r.leaf(b)
}

func (r *Redactor) lines(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		text := bytes.TrimRight(line, "\r\n")
		out = append(append(out, r.leaf(text)...), line[len(text):]...)
	}
	return out
}
