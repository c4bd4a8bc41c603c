package mcp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for name, row := range map[string]struct{ schema, want string }{
		"nothing required":      {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{}`},
		"no type at the root":   {`{}`, `{}`},
		"a string":              {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":"a"}`},
		"undescribed":           {`{"type":"object","required":["a"]}`, `{"a":"a"}`},
		"const":                 {`{"type":"object","properties":{"a":{"const":7}},"required":["a"]}`, `{"a":7}`},
		"default":               {`{"type":"object","properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, `{"a":"x"}`},
		"examples":              {`{"type":"object","properties":{"a":{"type":"string","examples":["x","y"]}},"required":["a"]}`, `{"a":"x"}`},
		"a wrong example":       {`{"type":"object","properties":{"a":{"type":"string","examples":[1]}},"required":["a"]}`, `{"a":"a"}`},
		"enum":                  {`{"type":"object","properties":{"a":{"type":"string","enum":["p","q"]}},"required":["a"]}`, `{"a":"p"}`},
		"enum of two schemas":   {`{"type":"object","properties":{"a":{"allOf":[{"enum":["p","q"]},{"enum":["q"]}]}},"required":["a"]}`, `{"a":"q"}`},
		"minLength":             {`{"type":"object","properties":{"a":{"type":"string","minLength":4}},"required":["a"]}`, `{"a":"aaaa"}`},
		"maxLength 0":           {`{"type":"object","properties":{"a":{"type":"string","maxLength":0}},"required":["a"]}`, `{"a":""}`},
		"integer":               {`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":1}`},
		"minimum":               {`{"type":"object","properties":{"a":{"type":"integer","minimum":10}},"required":["a"]}`, `{"a":10}`},
		"exclusiveMinimum":      {`{"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":10}},"required":["a"]}`, `{"a":11}`},
		"exclusive between":     {`{"type":"object","properties":{"a":{"type":"number","exclusiveMinimum":2,"exclusiveMaximum":3}},"required":["a"]}`, `{"a":2.5}`},
		"maximum":               {`{"type":"object","properties":{"a":{"type":"number","maximum":-2.5}},"required":["a"]}`, `{"a":-2.5}`},
		"multipleOf":            {`{"type":"object","properties":{"a":{"type":"integer","multipleOf":7,"minimum":8}},"required":["a"]}`, `{"a":14}`},
		"whole multiple of 2.5": {`{"type":"object","properties":{"a":{"type":"integer","multipleOf":2.5}},"required":["a"]}`, `{"a":5}`},
		"long integers":         {`{"type":"object","properties":{"a":{"const":9007199254740993}},"required":["a"]}`, `{"a":9007199254740993}`},
		"boolean":               {`{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}`, `{"a":false}`},
		"null":                  {`{"type":"object","properties":{"a":{"type":"null"}},"required":["a"]}`, `{"a":null}`},
		"list of types":         {`{"type":"object","properties":{"a":{"type":["integer","null"]}},"required":["a"]}`, `{"a":1}`},
		"empty array":           {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"]}`, `{"a":[]}`},
		"minItems":              {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"},"minItems":2}},"required":["a"]}`, `{"a":[1,1]}`},
		"uniqueItems":           {`{"type":"object","properties":{"a":{"type":"array","items":{"enum":["x","y","z"]},"minItems":3,"uniqueItems":true}},"required":["a"]}`, `{"a":["x","y","z"]}`},
		"prefixItems":           {`{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"minItems":2}},"required":["a"]}`, `{"a":[1,"a"]}`},
		"contains":              {`{"type":"object","properties":{"a":{"type":"array","contains":{"const":3}}},"required":["a"]}`, `{"a":[3]}`},
		"nested":                {`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer"},"c":{"type":"string"}},"required":["b"]}},"required":["a"]}`, `{"a":{"b":1}}`},
		"minProperties":         {`{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"string"}},"minProperties":1}`, `{"a":"a"}`},
		"dependentRequired":     {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"dependentRequired":{"a":["b"]}}`, `{"a":"a","b":"a"}`},
		"date-time":             {`{"type":"object","properties":{"a":{"type":"string","format":"date-time"}},"required":["a"]}`, `{"a":"2025-01-01T00:00:00Z"}`},
		"uuid":                  {`{"type":"object","properties":{"a":{"type":"string","format":"uuid"}},"required":["a"]}`, `{"a":"00000000-0000-4000-8000-000000000000"}`},
		"an unknown format":     {`{"type":"object","properties":{"a":{"type":"string","format":"colour"}},"required":["a"]}`, `{"a":"a"}`},
		"pattern":               {`{"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]+/[A-Z]{2,}-(x|y)?[0-9]+$"}},"required":["a"]}`, `{"a":"a/AA-0"}`},
		"pattern and length":    {`{"type":"object","properties":{"a":{"type":"string","pattern":"^[0-9]+$","minLength":5}},"required":["a"]}`, `{"a":"000000"}`},
		"$ref":                  {`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"$defs":{"x":{"enum":["fit"]}}}`, `{"a":"fit"}`},
		"$ref by anchor":        {`{"type":"object","properties":{"a":{"$ref":"#x"}},"required":["a"],"$defs":{"y":{"$anchor":"x","enum":["fit"]}}}`, `{"a":"fit"}`},
		"$ref with ~ and /":     {`{"type":"object","properties":{"a":{"$ref":"#/$defs/x~1~0y"}},"required":["a"],"$defs":{"x/~y":{"enum":["fit"]}}}`, `{"a":"fit"}`},
		"$ref into a list":      {`{"type":"object","properties":{"a":{"$ref":"#/allOf/0/properties/b"}},"required":["a"],"allOf":[{"properties":{"b":{"enum":["fit"]}}}]}`, `{"a":"fit"}`},
		"a tree":                {`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}},"required":["kids"]}}}`, `{"kids":[]}`},
		"a list of nodes":       {`{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["next"]}`, ""},
		"allOf":                 {`{"allOf":[{"type":"object","required":["a"]},{"properties":{"a":{"type":"integer"}}}]}`, `{"a":1}`},
		"anyOf":                 {`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]}},"required":["a"]}`, `{"a":"aa"}`},
		"oneOf, both match":     {`{"type":"object","properties":{"a":{"oneOf":[{"type":"integer"},{"type":"number"},{"type":"string"}]}},"required":["a"]}`, `{"a":"a"}`},
		"anyOf required":        {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["b"]},{"required":["a"]}]}`, `{"b":"a"}`},
		"if then":               {`{"type":"object","properties":{"k":{"const":"x"},"a":{"type":"integer"}},"required":["k"],"if":{"properties":{"k":{"const":"x"}}},"then":{"required":["a"]}}`, `{"a":1,"k":"x"}`},
		"not":                   {`{"type":"object","properties":{"a":{"type":"integer","not":{"const":1}}},"required":["a"]}`, `{"a":2}`},
		"draft-07":              {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/x"}},"required":["a"],"definitions":{"x":{"type":"array","items":[{"type":"integer"}],"minItems":1}}}`, `{"a":[1]}`},
		"draft-04":              {`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"type":"integer","minimum":3,"exclusiveMinimum":true}},"required":["a"]}`, `{"a":4}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Arguments(json.RawMessage(row.schema))
			if err != nil {
				t.Fatal(err)
			}
			if row.want != "" && string(got) != row.want {
				t.Errorf("made up %s, want %s", got, row.want)
			}
			s, err := compileSchema(json.RawMessage(row.schema), true)
			if err != nil || s.check(got) != nil {
				t.Errorf("%s does not validate", got)
			}
		})
	}
}

func TestArgumentsThatCannotBeMadeUp(t *testing.T) {
	deep := strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, 40) + `{}` + strings.Repeat(`}}`, 40)
	for name, row := range map[string]struct{ schema, says string }{
		"none":             {``, "no input schema"},
		"not JSON":         {`{`, "cannot be used"},
		"not a schema":     {`{"type":"strng"}`, "cannot be used"},
		"never":            {`{"type":"object","properties":{"a":false},"required":["a"]}`, "could be made up"},
		"no object":        {`{"type":"string"}`, "could be made up"},
		"the network":      {`{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}`, "nothing outside the schema is fetched"},
		"the disk":         {`{"type":"object","properties":{"a":{"$ref":"file:///etc/hostname"}}}`, "nothing outside the schema is fetched"},
		"unknown dialect":  {`{"$schema":"https://example.com/mine","type":"object"}`, "nothing outside the schema is fetched"},
		"endless":          {`{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`, "could be made up"},
		"a loop":           {`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "cannot be used"},
		"impossible":       {`{"type":"object","properties":{"a":{"type":"string","pattern":"^x$","minLength":9}},"required":["a"]}`, "could be made up"},
		"too long":         {`{"type":"object","properties":{"a":{"type":"string","minLength":1000000000}},"required":["a"]}`, "could be made up"},
		"too many":         {`{"type":"object","properties":{"a":{"type":"array","minItems":1000000000}},"required":["a"]}`, "could be made up"},
		"too deep":         {deep, "could be made up"},
		"large":            {`{"description":"` + strings.Repeat("x", maxSchemaBytes) + `"}`, "bytes"},
		"too costly":       {costly(40), "too costly"},
		"a large regexp":   {`{"type":"object","properties":{"a":{"type":"string","pattern":"(abcdefghij){900}"}},"required":["a"]}`, "too large"},
		"a foreign regexp": {`{"type":"object","properties":{"a":{"type":"string","pattern":"^(?=x)"}},"required":["a"]}`, "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			var raw json.RawMessage
			if row.schema != "" {
				raw = json.RawMessage(row.schema)
			}
			got, err := Arguments(raw)
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("made up %s, error %v; want one that says %q", got, err, row.says)
			}
		})
	}
}

// costly is a schema of a few lines that takes 2^n steps to validate with.
func costly(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/a0","$defs":{`)
	for i := range n {
		next := "a" + string(rune('0'+i+1))
		b.WriteString(`"a` + string(rune('0'+i)) + `":{"allOf":[{"$ref":"#/$defs/` + next + `"},{"$ref":"#/$defs/` + next + `"}]},`)
	}
	b.WriteString(`"a` + string(rune('0'+n)) + `":{}}}`)
	return strings.ReplaceAll(b.String(), `\`, "_")
}

func TestInvalidArguments(t *testing.T) {
	for name, row := range map[string]struct{ schema, want, what string }{
		"drops a required member":   {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{}`, `without the required member "a"`},
		"keeps the others":          {`{"type":"object","properties":{"a":{"type":"string"},"b":{"const":1}},"required":["a","b"]}`, `{"b":1}`, `without the required member "a"`},
		"spares what has a default": {`{"type":"object","properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, `{"a":{"not":"this"}}`, `with a value of the wrong type in member "a"`},
		"optional members only":     {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"a":{"not":"this"}}`, `with a value of the wrong type in member "a"`},
		"an object is asked for":    {`{"type":"object","properties":{"a":{"type":"object"}}}`, `{"a":["not this"]}`, `with a value of the wrong type in member "a"`},
		"an object or a list":       {`{"type":"object","properties":{"a":{"type":["object","array"]}}}`, `{"a":"not this"}`, `with a value of the wrong type in member "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, what, ok := InvalidArguments(json.RawMessage(row.schema))
			if !ok || string(got) != row.want || what != row.what {
				t.Errorf("made up %s %q %v, want %s %q", got, what, ok, row.want, row.what)
			}
		})
	}
	for name, schema := range map[string]string{
		"anything goes":     `{"type":"object"}`,
		"any member at all": `{"type":"object","properties":{"a":{}}}`,
		"no good ones":      `{"type":"string"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if got, what, ok := InvalidArguments(json.RawMessage(schema)); ok {
				t.Errorf("made up %s, said to be wrong for being %s", got, what)
			}
		})
	}
}

func TestFormatsAreNotesUnlessAsserted(t *testing.T) {
	raw := json.RawMessage(`{"type":"string","format":"date-time"}`)
	for _, assert := range []bool{false, true} {
		s, err := compileSchema(raw, assert)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.check(json.RawMessage(`"x"`)) != nil; got != assert {
			t.Errorf("formats asserted %v, the value rejected %v", assert, got)
		}
	}
}

// Whatever the schema, what is made up validates, and it is made up in time.
func FuzzArguments(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]+$"}},"required":["a"]}`)
	f.Add(`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"oneOf":[{"required":["x"]},{"minProperties":2}]}}}`)
	f.Add(`{"type":"object","properties":{"a":{"multipleOf":0.3,"exclusiveMinimum":1e15}},"required":["a"]}`)
	f.Add(costly(20))
	f.Add(`{"type":"object","properties":{"a":{"type":"number","minimum":1e999999999}},"required":["a"]}`)
	f.Add(`{"type":"object","properties":{"a":{"type":"string","pattern":"((a{1000}){1000}){1000}"}},"required":["a"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		raw := json.RawMessage(text)
		got, err := Arguments(raw)
		if err != nil {
			return
		}
		s, err := compileSchema(raw, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.check(got); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if wrong, what, ok := InvalidArguments(raw); ok {
			if err := s.check(wrong); err == nil || errors.Is(err, errTooCostly) {
				t.Fatalf("%s %s is not rejected: %v", wrong, what, err)
			}
		}
	})
}
