package functions_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/functions"
)

// everything is a schema that uses what there is.
const everything = `{"type":"object","properties":{"i":{"type":"integer","minimum":0},"f":{"type":"number","multipleOf":0.5},"s":{"type":"string","maxLength":3,"pattern":"^a"},
"e":{"enum":[1,"a",null,{"x":[1.0]}]},"l":{"type":"array","items":{"$ref":"#/$defs/I"},"uniqueItems":true},"t":{"prefixItems":[{"type":"integer"}],"items":false},
"o":{"additionalProperties":{"type":["integer","null"]},"propertyNames":{"minLength":1}},"r":{"$ref":"#"},"p":{"patternProperties":{"^x":{"type":"integer"}}}},
"if":{"required":["i"]},"then":{"not":{"required":["zz"]}},"$defs":{"I":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}`

func addArguments(f *testing.F) {
	for _, args := range []string{
		`{}`, `{"i":5.0,"f":1.5,"s":"abc","e":{"x":[1]},"l":[1,1.0,"a"],"t":[1,2],"o":{"x":null,"y":2.0},"r":{"i":1e2},"p":{"x":1.0}}`,
		`{"i":-1}`, `{"i":1e1000}`, `{"i":1e1001}`, `{"s":"\u0061\ud800"}`, `{"i":1,"i":2.0}`, "{\"s\":\"\xff\"}", `{"r":{"r":{"r":{}}}}`, `[`, `{"a":01}`, `{"a":1.}`, `nul`, ` {"a" : [ ] } `, `{"a":tru}`, `{"a":"` + "\n" + `"}`, `{"i":0.000e0}`,
	} {
		f.Add(args)
	}
}

// FuzzValidate has any text judged: what is no JSON is refused, and a refusal names faults.
func FuzzValidate(f *testing.F) {
	addArguments(f)
	c, problems := functions.Build([]functions.Listing{list("s", `{"name":"t","inputSchema":`+everything+`}`, `{"name":"u","inputSchema":{}}`)})
	if len(problems)+len(c.Check()) > 0 {
		f.Fatal(problems, c.Check())
	}
	strict, loose := c.Tools()[0], c.Tools()[1]
	f.Fuzz(func(t *testing.T, args string) {
		err := loose.Validate(json.RawMessage(args))
		_, odd := functions.Arguments(args)
		if isObject := json.Valid([]byte(args)) && strings.HasPrefix(strings.TrimSpace(args), "{"); isObject && (err == nil) != (odd == nil) && !strings.Contains(err.Error(), "two members") {
			t.Errorf("%q is taken by one and not the other: %v and %v", args, err, odd)
		}
		if !json.Valid([]byte(args)) && err == nil {
			t.Errorf("%q is taken for JSON", args)
		}
		err = strict.Validate(json.RawMessage(args))
		if faults, ok := errors.AsType[*functions.ArgumentsError](err); err != nil && (!ok || len(faults.Faults) == 0) {
			t.Errorf("%q: %v", args, err)
		}
	})
}

// FuzzIntegers keeps the value whatever is rewritten, and does nothing the second time.
func FuzzIntegers(f *testing.F) {
	addArguments(f)
	c, _ := functions.Build([]functions.Listing{list("s", `{"name":"t","inputSchema":`+everything+`}`)})
	tool := c.Tools()[0]
	f.Fuzz(func(t *testing.T, text string) {
		args, err := functions.Arguments(text)
		if err != nil {
			return
		}
		made := tool.Integers(args)
		if !json.Valid(made) || string(tool.Integers(made)) != string(made) {
			t.Errorf("%s became %s, and then %s", args, made, tool.Integers(made))
		}
		if before, after := tool.Validate(args), tool.Validate(made); (before == nil) != (after == nil) {
			t.Errorf("%s: %v, and as %s: %v", args, before, made, after)
		}
	})
}

func BenchmarkValidateParallel(b *testing.B) {
	c, _ := functions.Build([]functions.Listing{list("s", `{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a"]}}`)})
	args := json.RawMessage(`{"n":5,"a":"` + strings.Repeat("x", 1000) + `"}`)
	tool := c.Tools()[0]
	b.SetParallelism(8) // 16 at once on two cores
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if err := tool.Validate(args); err != nil {
				b.Error(err)
			}
		}
	})
}
