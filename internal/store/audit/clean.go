package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// mostText is the size in bytes that a detail or a name may have.
const mostText = 4 << 10

// clean takes the secrets out of the entry, and bounds it.
func (l *Log) clean(e Entry) Entry {
	e.At = micros(e.At)
	e.Seq, e.Hash = 0, ""
	e.Arguments = l.cleanArguments(e.Arguments)
	e.Detail = short(string(l.secrets.Text([]byte(e.Detail))))
	e.Caller, e.Tool, e.Server = short(string(l.secrets.Text([]byte(e.Caller)))), short(e.Tool), short(e.Server)
	e.Correlation = short(e.Correlation)
	return e
}

// cleanArguments returns arguments as they are kept, always JSON or nothing.
func (l *Log) cleanArguments(raw json.RawMessage) json.RawMessage {
	switch {
	case len(raw) == 0:
		return nil
	case len(raw) > l.opts.MostArguments:
		return fmt.Appendf(nil, `{"left_out":"%d bytes of arguments"}`, len(raw))
	case json.Valid(raw):
		return l.secrets.JSON(raw)
	}
	text, _ := json.Marshal(strings.ToValidUTF8(string(l.secrets.Text(raw)), "\uFFFD")) // a string always marshals
	return text
}

// short bounds a text, at the boundary of a character, and makes it UTF-8.
func short(s string) string {
	if len(s) > mostText {
		s = s[:mostText] + "…"
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}
