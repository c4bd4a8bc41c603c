package functions_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/functions"
)

var allowed = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func list(server string, tools ...string) functions.Listing {
	l := functions.Listing{Server: server}
	for _, t := range tools {
		l.Tools = append(l.Tools, json.RawMessage(t))
	}
	return l
}

func named(names ...string) functions.Listing {
	var tools []string
	for _, n := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, n))
	}
	return list("s", tools...)
}

func one(t *testing.T, schema string) functions.Tool {
	t.Helper()
	c, problems := functions.Build([]functions.Listing{list("s", `{"name":"t","inputSchema":`+schema+`}`)})
	if len(problems) > 0 || len(c.Tools()) != 1 {
		t.Fatalf("%s: problems %v", schema, problems)
	}
	return c.Tools()[0]
}

func TestNamesAreAllowedUniqueAndStable(t *testing.T) {
	long := strings.Repeat("x", 64)
	names := []string{"plain", "calendar.updateEvent", "a.b", "a/b", "a_b", long, long + "1", long + "2", "éé", "öö"}
	build := func(names ...string) map[string]string {
		c, _ := functions.Build([]functions.Listing{named(names...)})
		got := map[string]string{}
		for _, tool := range c.Tools() {
			if !allowed.MatchString(tool.Function) {
				t.Errorf("%q is no name of a function", tool.Function)
			}
			if found, ok := c.Find(tool.Function); !ok || found.Name != tool.Name {
				t.Errorf("%q leads to %q and not back to %q", tool.Function, found.Name, tool.Name)
			}
			got[tool.Name] = tool.Function
		}
		return got
	}
	got := build(names...)
	for name, want := range map[string]string{"plain": "plain", "calendar.updateEvent": "calendar_updateEvent", "a_b": "a_b", long: long} {
		if got[name] != want {
			t.Errorf("%s is called %q, not %q", name, got[name], want)
		}
	}
	taken := map[string]bool{}
	for _, f := range got {
		if taken[f] {
			t.Errorf("two tools are called %q", f)
		}
		taken[f] = true
	}
	var reversed []string
	for _, n := range names {
		reversed = append([]string{n}, reversed...)
	}
	for name, f := range build(append(reversed, "new one")...) {
		if was, ok := got[name]; ok && was != f {
			t.Errorf("%s was called %q, and is %q in another order", name, was, f)
		}
	}
}

func TestSeveralServersHaveTheirNameInFront(t *testing.T) {
	c, _ := functions.Build([]functions.Listing{list("a", `{"name":"x"}`, `{"name":"only"}`), list("b", `{"name":"x"}`)})
	if got, ok := c.Find("b__x"); !ok || got.Server != "b" {
		t.Errorf("b__x is %+v", got)
	}
	if got, ok := c.Find("only"); !ok || got.Function != "a__only" {
		t.Errorf("the tool's own name leads to %+v", got)
	}
	if _, ok := c.Find("x"); ok {
		t.Error("x leads somewhere, though two servers have it")
	}
	if near := c.Nearest("a__y"); len(near) == 0 || near[0] != "a__x" {
		t.Errorf("nearest to a__y: %v", near)
	}
}

func TestBadToolsAreLeftOutAndTheRestKept(t *testing.T) {
	bad := []string{
		`null`, `[]`, `7`, `{}`, `{"name":7}`, `{"name":" "}`, `{"name":"a\u0001b"}`, `{"name":"good"}`,
		`{"name":"s","inputSchema":"text"}`, `{"name":"s2","inputSchema":{"type":"string"}}`, `{"name":"f","inputSchema":false}`,
		`{"name":"` + strings.Repeat("n", 1025) + `"}`, `{"name":`,
	}
	c, problems := functions.Build([]functions.Listing{list("s", append([]string{`{"name":"good","annotations":7,"description":8}`}, bad...)...)})
	if len(c.Tools()) != 1 || c.Tools()[0].Name != "good" || len(problems) != len(bad) {
		t.Errorf("%d tools are kept, %d of %d bad ones told: %v", len(c.Tools()), len(problems), len(bad), problems)
	}
}

func TestParametersKeepTheirBytes(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"object"}`: `{"properties":{},"type":"object"}`,
		`{}`:                `{"type":"object"}`,
		`true`:              `{"type":"object","properties":{}}`,
		`{"type":["object","null"],"required":[]}`:                                                                                                                          `{"properties":{},"type":"object","required":[]}`,
		`{"properties":{"n":{"type":"integer","maximum":12345678901234567890.10}},"type":"object" }`:                                                                        ``,
		`{"type":"object","properties":{"f":{"$ref":"#/$defs/F","description":"d"},"b":true},"$defs":{"F":{"type":"object"}}}`:                                              `{"type":"object","properties":{"f":{"$ref":"#/$defs/F","description":"d"},"b":true},"$defs":{"F":{"properties":{},"type":"object"}}}`,
		`{"type":"object","properties":{"type":{"const":{"type":"object"}},"e":{"enum":[{"type":"object"}],"default":{"type":"object"},"x-mcp-header":{"type":"object"}}}}`: ``,
		`{"type":"object","properties":{"n":{"$ref":"#"}}}`:                                                                                                                 ``,
	} {
		if want == "" {
			want = in
		}
		got := string(one(t, in).Parameters)
		if in == `{}` {
			want = `{"properties":{},"type":"object"}`
		}
		if got != want {
			t.Errorf("%s\n became %s\n not    %s", in, got, want)
		}
	}
}

func TestMutationsAreWarnedOf(t *testing.T) {
	for tool, want := range map[string]string{
		`{"name":"create_x","description":"d"}`:                                       "not idempotent",
		`{"name":"get_x","description":"d"}`:                                          "",
		`{"name":"create_x","annotations":{"readOnlyHint":true}}`:                     "",
		`{"name":"put_x","annotations":{"readOnlyHint":false,"idempotentHint":true}}`: "changes nothing more",
	} {
		c, _ := functions.Build([]functions.Listing{list("s", tool)})
		got := c.Tools()[0].Description
		if want == "" && strings.Contains(got, "X-Idempotency-Key") || !strings.Contains(got, want) || want != "" && !strings.Contains(got, "X-Idempotency-Key") {
			t.Errorf("%s: %q", tool, got)
		}
	}
}

func TestArguments(t *testing.T) {
	for text, want := range map[string]string{"": "{}", "\n": "{}", `{"n":2932809024865746956}`: `{"n":2932809024865746956}`} {
		if got, err := functions.Arguments(text); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{`{"a":`, `[]`, `7`, `null`, `x`, `{"n":1e999999999}`, `{}{}`} {
		if got, err := functions.Arguments(text); err == nil {
			t.Errorf("%q is taken as %s", text, got)
		}
	}
}

func TestValidateNamesPathAndWhatIsAllowed(t *testing.T) {
	tool := one(t, `{"type":"object","properties":{"n":{"type":"integer","maximum":5},"e":{"enum":["a","b"]},"s":{"type":"string","maxLength":2}},"required":["n"],"additionalProperties":false}`)
	for args, want := range map[string]string{
		`{"n":1}`: "", `{}`: "'n'", `{"n":"SECRET"}`: "at /n: expected integer, but got string",
		`{"n":1,"e":"SECRET"}`: `"a", "b"`, `{"n":1,"zz":"SECRET"}`: `allowed are "e", "n", "s"`,
		`{"n":1,"s":"SECRET"}`: "at /s", `{"n":77777}`: "at /n: must be <= 5",
	} {
		err := tool.Validate(json.RawMessage(args))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "77777")) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// Of two members with one name one would be judged and both sent, whatever the schema says.
func TestANameTwiceFitsNoTool(t *testing.T) {
	for _, schema := range []string{`{"type":"object"}`, `{"properties":{"n":{"type":"integer"}},"not":{"type":"string"}}`, `{"$ref":"http://127.0.0.1:1/x"}`, `null`} {
		tool := one(t, schema)
		for args, fits := range map[string]bool{
			`{"n":"x","n":1}`: false, `{"n":1,"\u006e":1}`: false, `{"a":[{"b":{"n":1,"n":1}}]}`: false,
			`{"n":1,"a":{"n":1},"b":[{"n":1},{"n":1}]}`: true,
		} {
			if err := tool.Validate(json.RawMessage(args)); (err == nil) != fits || !fits && !strings.Contains(err.Error(), `two members "n"`) {
				t.Errorf("%s by %s: %v", args, schema, err)
			}
		}
	}
}

func TestDialectsAreHonoured(t *testing.T) {
	for schema, fits := range map[string]bool{
		`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{"type":"string"}]}}}`: false,
		`{"properties":{"a":{"prefixItems":[{"type":"string"}]}}}`:                                               false,
		`{"properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}`:                                                   true,
		`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`:                                                     true,
		`{"$schema":"urn:unknown","properties":{"a":false}}`:                                                     true,
		`{"properties":{"a":{"items":{"pattern":"(?=x)"}}}}`:                                                     true,
	} {
		tool := one(t, schema)
		if err := tool.Validate(json.RawMessage(`{"a":[1]}`)); (err == nil) != fits {
			t.Errorf("%s: %v", schema, err)
		}
		c, _ := functions.Build([]functions.Listing{list("s", `{"name":"t","inputSchema":`+schema+`}`)})
		if got := len(c.Check()); (got == 1) != fits {
			t.Errorf("%s: %d problems are told", schema, got)
		}
	}
}

func TestChecksComeToAnEnd(t *testing.T) {
	var defs []string
	for i := range 60 {
		defs = append(defs, fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1))
	}
	bomb := `{"$ref":"#/$defs/a0","$defs":{` + strings.Join(defs, ",") + `,"a60":{}}}`
	for _, schema := range []string{bomb, `{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"properties":{"a":{"$ref":"#"}}}`} {
		tool := one(t, schema)
		if err := tool.Validate(json.RawMessage(`{"a":{"a":{"a":1.0}}}`)); err != nil {
			t.Errorf("%.60s: %v", schema, err)
		}
		tool.Integers(json.RawMessage(`{"a":{"a":{"a":1.0}}}`))
	}
}

// What fits nowhere costs far more than what fits, and a few bytes should not cost seconds.
func TestASmallValueIsNotCheckedForLong(t *testing.T) {
	var defs []string
	for i := range 30 {
		defs = append(defs, fmt.Sprintf(`"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1))
	}
	tool := one(t, `{"properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{`+strings.Join(defs, ",")+`,"a30":{"type":"boolean"}}}`)
	most := testing.AllocsPerRun(1, func() {
		if err := tool.Validate(json.RawMessage(`{"x":"a"}`)); err != nil {
			t.Error(err)
		}
	})
	if most > 5e6 {
		t.Errorf("%.0f allocations", most)
	}
}

func TestIntegersAreWrittenAsSuch(t *testing.T) {
	tool := one(t, `{"properties":{"i":{"type":"integer"},"f":{"type":"number"},"u":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":{"anyOf":[{"type":"integer"},{"type":"number"}]},"l":{"items":{"$ref":"#/$defs/I"}},"o":{"additionalProperties":{"type":["integer","null"]}}},"$defs":{"I":{"type":"integer"}}}`)
	in := `{"i":5.0,"f":5.0,"u":1e3,"b":2.0,"l":[12345678901234567890123.0,1.5],"o":{"x":-0.0},"z":3.0,"s":"5.0"}`
	want := `{"i":5,"f":5.0,"u":1000,"b":2.0,"l":[12345678901234567890123,1.5],"o":{"x":0},"z":3.0,"s":"5.0"}`
	if got := string(tool.Integers(json.RawMessage(in))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestManyToolsAreChecked(t *testing.T) {
	var names []string
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("tool.%d", i))
	}
	c, problems := functions.Build([]functions.Listing{named(names...)})
	if len(c.Tools()) != 10_000 || len(problems) > 0 {
		t.Errorf("%d tools, %d problems", len(c.Tools()), len(problems))
	}
}

func FuzzBuildKeepsSchemas(f *testing.F) {
	f.Add(`{"type":"object","items":[{"type":"object"}]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		c, _ := functions.Build([]functions.Listing{list("s", `{"name":"t","inputSchema":`+schema+`}`)})
		for _, tool := range c.Tools() {
			if !json.Valid(tool.Parameters) {
				t.Errorf("%s became %s", schema, tool.Parameters)
			}
		}
	})
}

func BenchmarkBuild1000(b *testing.B) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("tool_%d", i))
	}
	l := []functions.Listing{named(names...)}
	for b.Loop() {
		functions.Build(l)
	}
}

func BenchmarkValidate1KiB(b *testing.B) {
	c, _ := functions.Build([]functions.Listing{list("s", `{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a"]}}`)})
	args := json.RawMessage(`{"n":5,"a":"` + strings.Repeat("x", 1000) + `"}`)
	for b.Loop() {
		if err := c.Tools()[0].Validate(args); err != nil {
			b.Fatal(err)
		}
	}
}
