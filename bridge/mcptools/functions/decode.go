package functions

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// decode reads JSON into the values that the validator wants, with numbers as json.Number.
// It takes what encoding/json takes, in one pass; beyond that it refuses numbers that nobody
// can reckon with.
func decode(raw json.RawMessage) (any, error) { return (&decoder{raw: raw}).document() }

// decodeStrict is decode that also refuses an object with two members of one name: of them
// one would be judged, and the other might be used.
//
// https://www.rfc-editor.org/rfc/rfc8259#section-4
func decodeStrict(raw json.RawMessage) (any, error) {
	return (&decoder{raw: raw, strict: true}).document()
}

func (d *decoder) document() (any, error) {
	d.space()
	v, err := d.value()
	if d.space(); err == nil && d.at < len(d.raw) {
		err = d.wrong()
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// maxDepth is how deep values may be nested, as encoding/json has it.
const maxDepth = 10_000

// decoder is at a place of a document.
type decoder struct {
	raw    []byte
	at     int
	depth  int
	strict bool // no name twice in an object
}

func (d *decoder) wrong() error { return fmt.Errorf("it is no JSON: wrong at byte %d", d.at+1) }

func (d *decoder) space() {
	for d.at < len(d.raw) && (d.raw[d.at] == ' ' || d.raw[d.at] == '\n' || d.raw[d.at] == '\t' || d.raw[d.at] == '\r') {
		d.at++
	}
}

// next is the byte at hand, 0 at the end: no JSON has one.
func (d *decoder) next() byte {
	if d.at < len(d.raw) {
		return d.raw[d.at]
	}
	return 0
}

func (d *decoder) value() (any, error) {
	switch c := d.next(); {
	case c == '"':
		return d.text()
	case c == '{':
		return d.object()
	case c == '[':
		return d.array()
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	}
	for _, word := range [...]struct {
		text string
		v    any
	}{{"true", true}, {"false", false}, {"null", nil}} {
		if len(d.raw)-d.at >= len(word.text) && string(d.raw[d.at:d.at+len(word.text)]) == word.text {
			d.at += len(word.text)
			return word.v, nil
		}
	}
	return nil, d.wrong()
}

func (d *decoder) object() (any, error) {
	members := map[string]any{}
	err := d.list('}', func() error {
		if d.next() != '"' {
			return d.wrong()
		}
		name, err := d.text()
		if err != nil {
			return err
		}
		if _, twice := members[name]; twice && d.strict {
			return fmt.Errorf("an object has two members %.64q", name)
		}
		if d.space(); d.next() != ':' {
			return d.wrong()
		}
		d.at++
		d.space()
		members[name], err = d.value()
		return err
	})
	return members, err
}

func (d *decoder) array() (any, error) {
	all := []any{}
	err := d.list(']', func() error {
		v, err := d.value()
		all = append(all, v)
		return err
	})
	return all, err
}

// list reads what stands between a bracket and its end, with commas between.
func (d *decoder) list(end byte, item func() error) error {
	if d.depth++; d.depth > maxDepth {
		return fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	d.at++
	if d.space(); d.next() == end {
		d.at++
		d.depth--
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		d.space()
		switch d.next() {
		case ',':
			d.at++
			d.space()
		case end:
			d.at++
			d.depth--
			return nil
		default:
			return d.wrong()
		}
	}
}

func (d *decoder) text() (string, error) {
	begin, plain, ascii := d.at, true, true
	for d.at++; d.at < len(d.raw) && d.raw[d.at] != '"'; d.at++ {
		switch c := d.raw[d.at]; {
		case c == '\\':
			plain = false
			d.at++
		case c < ' ':
			return "", d.wrong()
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	if d.at >= len(d.raw) {
		return "", d.wrong()
	}
	d.at++
	quoted := d.raw[begin:d.at]
	if inner := quoted[1 : len(quoted)-1]; plain && (ascii || utf8.Valid(inner)) {
		return string(inner), nil
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		d.at = begin
		return "", d.wrong()
	}
	return s, nil
}

// number reads a number as JSON writes it (RFC 8259 section 6).
func (d *decoder) number() (any, error) {
	begin := d.at
	if d.next() == '-' {
		d.at++
	}
	if d.next() == '0' {
		d.at++
	} else if d.digits() == 0 {
		return nil, d.wrong()
	}
	if d.next() == '.' {
		if d.at++; d.digits() == 0 {
			return nil, d.wrong()
		}
	}
	if c := d.next(); c == 'e' || c == 'E' {
		d.at++
		from := d.at
		if c := d.next(); c == '+' || c == '-' {
			d.at++
		}
		if d.digits() == 0 {
			return nil, d.wrong()
		}
		if n, err := strconv.Atoi(string(d.raw[from:d.at])); err != nil || n > maxExponent || n < -maxExponent {
			return nil, errExponent
		}
	}
	return json.Number(d.raw[begin:d.at]), nil
}

func (d *decoder) digits() int {
	from := d.at
	for d.at < len(d.raw) && d.raw[d.at] >= '0' && d.raw[d.at] <= '9' {
		d.at++
	}
	return d.at - from
}

// maxExponent bounds numbers: 1e999999999 takes a gigabyte to compare with another.
const maxExponent = 1000

var errExponent = errors.New("a number has an exponent over " + strconv.Itoa(maxExponent))
