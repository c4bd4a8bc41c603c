package wire

import (
	"strconv"
	"strings"
)

// OutEvent is a server-sent event to be written. Its zero value has no field at all.
type OutEvent struct {
	Type     string   // event field; "" writes none
	ID       string   // id field; "" writes none
	HasID    bool     // write the id field even if ID is empty, which takes back the ids before it
	Retry    int      // retry field, milliseconds; 0 or less writes none
	HasRetry bool     // write the retry field even if Retry is 0
	Data     []byte   // data fields, one a line; nil writes none, empty writes one without a value
	Comments []string // comment lines, before the fields; each is written after a colon as it is
}

// AppendEvent appends e to dst, with LF line ends and its blank line (WHATWG HTML, section 9.2.5).
//
// A reader gets back what was written, but for what the format cannot carry: it joins lines of Data
// that end in CR or CRLF by LF. A Type with a line end, or an ID with a line end or a NUL, is left
// out: no reader could get it, and written as it is it would forge fields.
func AppendEvent(dst []byte, e OutEvent) []byte {
	for _, comment := range e.Comments {
		dst = appendLines(dst, ":", []byte(comment))
	}
	if e.Type != "" && !strings.ContainsAny(e.Type, "\r\n") {
		dst = appendField(dst, "event: ", e.Type)
	}
	if (e.ID != "" || e.HasID) && !strings.ContainsAny(e.ID, "\r\n\x00") {
		dst = appendField(dst, "id: ", e.ID)
	}
	if e.Retry > 0 || e.HasRetry {
		dst = appendField(dst, "retry: ", strconv.Itoa(max(e.Retry, 0)))
	}
	if e.Data != nil {
		dst = appendLines(dst, "data: ", e.Data)
	}
	return append(dst, '\n')
}

func appendField(dst []byte, prefix, value string) []byte {
	return append(append(append(dst, prefix...), value...), '\n')
}

// appendLines appends text with prefix before each of its lines.
func appendLines(dst []byte, prefix string, text []byte) []byte {
	for {
		n := lineEnd(text)
		if n < 0 {
			return append(append(append(dst, prefix...), text...), '\n')
		}
		dst = append(append(append(dst, prefix...), text[:n]...), '\n')
		text = afterLineEnd(text[n:])
	}
}
