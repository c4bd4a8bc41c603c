package redact

import "bytes"

// events redacts server-sent events (WHATWG HTML §9.2.6). The data of an event is one text however
// many lines it has; every other line stands for itself. Line ends stay as they are.
func (r *Redactor) events(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		var event []eventLine
		for len(b) > 0 {
			line := nextLine(b)
			b = b[len(line.text)+len(line.end):]
			event = append(event, line)
			if len(line.text) == 0 {
				break
			}
		}
		out = r.event(out, event)
	}
	return out
}

// eventLine is a line and what ends it: LF, CR, CRLF, or nothing at the end of the stream.
type eventLine struct {
	text, end []byte
}

func nextLine(b []byte) eventLine {
	i := bytes.IndexAny(b, "\r\n")
	if i < 0 {
		return eventLine{text: b}
	}
	n := 1
	if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
		n = 2
	}
	return eventLine{b[:i], b[i : i+n]}
}

// dataPrefix returns the length of the field name, colon and space that a data line begins with, or 0.
func (l eventLine) dataPrefix() int {
	const field = "data:"
	if !bytes.HasPrefix(l.text, []byte(field)) {
		return 0
	}
	if len(l.text) > len(field) && l.text[len(field)] == ' ' {
		return len(field) + 1
	}
	return len(field)
}

// event appends the lines of one event. If its data has fewer lines than before, those left over go; if
// it has more, they follow the last.
func (r *Redactor) event(out []byte, lines []eventLine) []byte {
	var data [][]byte
	for _, l := range lines {
		if n := l.dataPrefix(); n > 0 {
			data = append(data, l.text[n:])
		}
	}
	redacted := bytes.Split(r.leaf(bytes.Join(data, []byte("\n"))), []byte("\n"))
	left := len(data)
	for _, l := range lines {
		n := l.dataPrefix()
		if n == 0 {
			out = append(append(out, r.Text(l.text)...), l.end...)
			continue
		}
		left--
		for len(redacted) > 0 {
			out = append(append(append(out, l.text[:n]...), redacted[0]...), l.end...)
			redacted = redacted[1:]
			if left > 0 {
				break
			}
		}
	}
	return out
}
