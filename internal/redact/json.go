package redact

import (
	"bytes"
	"encoding/json"
)

// JSON returns a JSON document without its secrets: values under secret names, at any depth, and
// within strings that hold JSON or text. All else stays byte for byte: space, the order of members,
// members of the same name, the digits of numbers. What is not JSON is treated as text.
func (r *Redactor) JSON(b []byte) []byte {
	if !json.Valid(b) {
		b = r.Text(b)
		if !json.Valid(b) { // it may be now, if what broke it was in a secret
			return b
		}
	}
	return r.walk(b, place{})
}

// validJSONUnder redacts a document that stands under a secret name.
func (r *Redactor) validJSONUnder(rule rule, b []byte) []byte {
	return r.walk(b, place{secret: rule})
}

func (r *Redactor) walk(b []byte, p place) []byte {
	w := walker{r: r, in: b}
	w.space()
	w.value(p)
	if w.copied == 0 {
		return b
	}
	return append(w.out, b[w.copied:]...)
}

// place is what is known of where a value stands.
type place struct {
	secret  rule // the rule of the secret name that it stands under, or the zero rule
	schemes bool // it is part of a description of security schemes
}

// walker goes through a valid document once, and copies what lies between replacements.
type walker struct {
	r      *Redactor
	in     []byte
	at     int
	out    []byte
	copied int // how much of in is in out, or replaced there
}

func (w *walker) value(p place) {
	switch w.in[w.at] {
	case '{':
		w.object(p)
	case '[':
		w.array(p)
	case '"':
		w.string(p)
	case 't', 'f', 'n':
		w.literal()
	default:
		w.number(p)
	}
}

func (w *walker) object(p place) {
	start := w.at
	w.at++
	for w.space(); w.in[w.at] != '}'; w.space() {
		name := w.name()
		w.space()
		w.at++ // the colon
		w.space()
		w.value(w.member(p, name, start))
		w.space()
		if w.in[w.at] == ',' {
			w.at++
		}
	}
	w.at++
}

// name passes the name of a member, and returns it. A name can itself hold a secret.
func (w *walker) name() []byte {
	from := w.at
	name := w.token()
	if redacted := w.r.Text(name); !bytes.Equal(redacted, name) {
		w.replace(from, quoted(redacted))
	}
	return name
}

// array treats an argument after a flag (["--api-key", "…"]) like the value of a member.
func (w *walker) array(p place) {
	w.at++
	var flag rule
	for w.space(); w.in[w.at] != ']'; w.space() {
		item := p
		if flag.name != "" && w.in[w.at] == '"' {
			item.secret = flag
		}
		flag = rule{}
		if w.in[w.at] == '"' {
			flag = w.flagAhead()
		}
		w.value(item)
		w.space()
		if w.in[w.at] == ',' {
			w.at++
		}
	}
	w.at++
}

// flagAhead returns the rule of the string ahead, if it is a flag that a secret follows.
func (w *walker) flagAhead() rule {
	if !bytes.HasPrefix(w.in[w.at:], []byte(`"--`)) {
		return rule{}
	}
	ahead := walker{in: w.in, at: w.at}
	found, _ := ruleFor(ahead.token(), secretNames)
	return found
}

func (w *walker) string(p place) {
	from := w.at
	s := w.token()
	var redacted []byte
	if p.secret.name != "" {
		redacted = w.r.secretValue(p.secret, s)
	} else {
		redacted = w.r.leaf(s)
	}
	if !bytes.Equal(redacted, s) {
		w.replace(from, quoted(redacted))
	}
}

func (w *walker) number(p place) {
	from := w.at
	for w.at < len(w.in) && bytes.IndexByte([]byte("+-.0123456789eE"), w.in[w.at]) >= 0 {
		w.at++
	}
	digits := w.in[from:w.at]
	if p.secret.name != "" {
		w.replace(from, quoted(w.r.mark(p.secret.name, digits)))
	} else if found := w.r.literals(digits); len(found) > 0 {
		w.replace(from, quoted(w.r.replace(digits, found)))
	}
}

func (w *walker) literal() {
	for w.at < len(w.in) && isLower(w.in[w.at]) {
		w.at++
	}
}

// token passes a string, and returns what it means.
func (w *walker) token() []byte {
	from := w.at
	escaped := false
	for w.at++; w.in[w.at] != '"'; w.at++ {
		if w.in[w.at] == '\\' {
			escaped = true
			w.at++
		}
	}
	w.at++
	raw := w.in[from+1 : w.at-1]
	if !escaped {
		return raw
	}
	return unquoted(raw)
}

func (w *walker) space() {
	for w.at < len(w.in) && isSpace(w.in[w.at]) {
		w.at++
	}
}

// replace puts text where the token stands that began at from and has just been passed.
func (w *walker) replace(from int, text []byte) {
	w.out = append(append(w.out, w.in[w.copied:from]...), text...)
	w.copied = w.at
}
