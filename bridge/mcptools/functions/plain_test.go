package functions

import (
	"encoding/json"
	"testing"
)

// What a plain schema says that fits, fits by the validator too, and the other way round but
// for what only looks different.
func TestPlain(t *testing.T) {
	values := []string{
		`{}`, `{"a":"x"}`, `{"a":"y","n":1}`, `{"a":"x","n":1.5}`, `{"a":"x","n":1e2}`, `{"a":"x","n":"1"}`, `{"n":1}`, `{"a":null}`,
		`{"a":"x","z":1}`, `{"a":"x","l":[1,2.5]}`, `{"a":"x","l":[true]}`, `{"a":"x","l":[]}`, `{"a":"x","o":{"b":true}}`, `{"a":"x","o":{"b":0}}`,
		`[]`, `"x"`, `1`, `true`, `null`,
	}
	for _, tt := range []struct {
		schema string
		plain  bool
	}{
		{`{}`, true},
		{`{"type":"object"}`, true},
		{`{"type":"object","properties":{"a":{"type":"string","description":"d"},"n":{"type":"integer"}},"required":["a"]}`, true},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"enum":["x"]}},"additionalProperties":false}`, true},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"n":{"type":"number"},"l":{"type":"array","items":{"type":"number"}}}}`, true},
		{`{"properties":{"o":{"type":"object","properties":{"b":{"type":"boolean"}}}},"additionalProperties":true}`, true},
		{`{"enum":["x"]}`, true},
		{`{"type":"string","enum":["x"]}`, true},
		{`{"required":["a"]}`, true},
		{`{"type":["string","object"]}`, false},
		{`{"type":"object","properties":{"a":{"type":"string","minLength":2}}}`, false},
		{`{"type":"object","properties":{"a":true}}`, false},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, false},
		{`{"enum":[1]}`, false},
		{`{"$ref":"#/$defs/a","$defs":{"a":{}}}`, false},
		{`{"type":"null"}`, false},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`, false},
		{`{"type":"array","prefixItems":[{"type":"string"}]}`, false},
	} {
		s := newSchema(json.RawMessage(tt.schema))
		if err := s.compile(); err != nil || (s.easy != nil) != tt.plain {
			t.Errorf("%s: plain is %v, want %v; %v", tt.schema, s.easy != nil, tt.plain, err)
			continue
		}
		for _, raw := range values {
			samePlain(t, s, raw)
		}
	}
}

// samePlain fails where plain has a value fit that the validator refuses; and where it leaves
// one to the validator that fits, but for fractions that are whole numbers.
func samePlain(t *testing.T, s *schema, raw string) {
	t.Helper()
	value, err := decode(json.RawMessage(raw))
	if err != nil || s.easy == nil {
		return
	}
	c := s.take()
	easy, fits := s.easy.fits(value), c.validate(value, minVisits) == nil
	s.free <- c
	if whole := raw == `{"a":"x","n":1e2}`; easy && !fits || fits && !easy && !whole {
		t.Errorf("%s by %s: plain says %v, the validator %v", raw, s.raw, easy, fits)
	}
}

// Nothing fits a plain schema that the validator refuses.
func FuzzPlain(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, `{"a":"x"}`)
	f.Add(`{"type":"array","items":{"enum":["a"]}}`, `["a"]`)
	f.Add(`{"properties":{"n":{"type":"integer","default":1}}}`, `{"n":-1}`)
	f.Fuzz(func(t *testing.T, doc, raw string) {
		s := newSchema(json.RawMessage(doc))
		value, err := decode(json.RawMessage(raw))
		if err != nil || s.compile() != nil || s == nil || s.easy == nil || !s.easy.fits(value) {
			return
		}
		if err := s.take().validate(value, maxVisits); err != nil {
			t.Errorf("%s fits %s, and does not: %v", raw, doc, err)
		}
	})
}
