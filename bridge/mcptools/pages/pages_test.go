package pages_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/pages"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/wire"
)

var (
	sealer = seal.New([]byte("secret"))
	now    = time.Unix(1_700_000_000, 0)
)

func schemaOf(props string) json.RawMessage {
	var all []string
	for _, p := range strings.Split(props, ",") {
		name, kind, ok := strings.Cut(p, ":")
		if !ok {
			kind = "string"
		}
		all = append(all, fmt.Sprintf("%q:{%q:%q}", name, "type", kind))
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(all, ",") + `}}`)
}

// answer is the upstream: it returns the page that the arguments ask for.
func (s shape) answer(t *testing.T, args json.RawMessage) (string, string) {
	t.Helper()
	at := 0
	if v := wire.Get(args, s.param); v != nil {
		for at = 1; at < 3 && string(v) != s.want[at-1]; at++ {
		}
		if at == 3 {
			t.Fatalf("asked for the page %s=%s, which is none", s.param, v)
		}
	}
	items := fmt.Sprintf(`[{"id":"i%d","n":9007199254740993.10},{"id":"i%d"}]`, 2*at, 2*at+1)
	if at == 2 && s.body == "@" {
		items = `[{"id":"i4"}]`
	}
	body := strings.NewReplacer("@", items, "~", s.next[at], "+", fmt.Sprint(at+1), "^", fmt.Sprint(2*at)).Replace(strings.ReplaceAll(s.body, "@odata", "\x00odata"))
	if at == 2 {
		for _, flag := range []string{"has_more", "hasNextPage", "has_next_page", "IsTruncated"} {
			body = strings.Replace(body, `"`+flag+`":true`, `"`+flag+`":false`, 1)
		}
	}
	return strings.ReplaceAll(body, "\x00odata", "@odata"), items
}

func TestEveryShapeIsWalkedToItsEnd(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			src := pages.Source{Server: "s", Tool: "t", Caller: "c", Schema: schemaOf(s.props), Args: json.RawMessage(s.args)}
			for page := range 3 {
				args, resumed, err := pages.Resume(src, sealer, now)
				if err != nil || resumed != (page > 0) {
					t.Fatalf("page %d: resumed %v, %v", page, resumed, err)
				}
				body, items := s.answer(t, args)
				out, ok := pages.Normalize(src, json.RawMessage(body), sealer, now)
				if !ok {
					t.Fatalf("page %d is no list: %s", page, body)
				}
				if got := string(wire.Get(out, "data")); got != items {
					t.Fatalf("page %d has the data %s, not %s", page, got, items)
				}
				text, _ := wire.Text(wire.Path(out, "pagination", "cursor"))
				more := string(wire.Path(out, "pagination", "has_more")) == "true"
				if more != (page < 2) || more != (text != "") {
					t.Fatalf("page %d: pagination is %s after %s", page, wire.Get(out, "pagination"), body)
				}
				src.Args = wire.Object(append(wire.Fields(json.RawMessage(s.args)), wire.Member{Name: "cursor", Value: wire.Quote(text)}))
			}
		})
	}
}

func TestWhatIsNoListIsLeftAlone(t *testing.T) {
	src := pages.Source{Tool: "list_things", Schema: schemaOf("id")}
	for _, payload := range []string{
		`{"status":"ok","checks":[{"a":1}]}`, `{"lines":["a","b"],"city":"x"}`, `"text"`, `null`, `7`, ``, `{`, `{}`,
		`{"next":"step two","steps":[1]}`, `{"count":3,"tags":["a"]}`, `{"page":1,"words":["a"]}`, `{"total":5}`,
		`{"a":[{}],"b":[{}],"next_cursor":"x"}`, `{"next_cursor":"x"}`, `{"a":[1],"a":2,"next_cursor":"x"}`,
	} {
		if out, ok := pages.Normalize(src, json.RawMessage(payload), sealer, now); ok || string(out) != payload {
			t.Errorf("%s became %s", payload, out)
		}
	}
}

// The last page often has nothing but its items: it is a list all the same, where a cursor
// led to it or the tool says that its results have a next page.
func TestAPageThatTellsNothing(t *testing.T) {
	src := pages.Source{Server: "s", Tool: "t", Caller: "c", Schema: schemaOf("cursor"), Args: json.RawMessage(`{}`)}
	const body = `{"books":["last"],"shelf":7}`
	if got, isList := pages.Normalize(src, json.RawMessage(body), sealer, now); isList || string(got) != body {
		t.Errorf("without a word of pages: %v %s", isList, got)
	}
	resumed, declared := src, src
	resumed.Resumed = true
	declared.Output = schemaOf("books:array,nextCursor")
	for name, s := range map[string]pages.Source{"resumed": resumed, "declared": declared} {
		got, isList := pages.Normalize(s, json.RawMessage(body), sealer, now)
		if want := `{"data":["last"],"pagination":{"has_more":false,"cursor":null},"shelf":7}`; !isList || string(got) != want {
			t.Errorf("%s: %v %s", name, isList, got)
		}
	}
}

func TestNothingIsDropped(t *testing.T) {
	for payload, want := range map[string]string{
		`{"a":1.0,"items":[1],"next_cursor":null,"total":9007199254740993}`: `{"data":[1],"pagination":{"has_more":false,"cursor":null},"a":1.0,"next_cursor":null,"total":9007199254740993}`,
		`{"data":{"items":[1],"has_more":false,"x":2},"pagination":7}`:      `{"data":[1],"pagination":{"has_more":false,"cursor":null},"upstream_data":{"has_more":false,"x":2},"upstream_pagination":7}`,
		`{"items":[1],"has_more":true}`:                                     `{"data":[1],"pagination":{"has_more":true,"cursor":null,"note":"there is more, but the tool has no parameter that is known to continue with"},"has_more":true}`,
		`{"items":[1],"has_more":false,"next_cursor":"x"}`:                  `{"data":[1],"pagination":{"has_more":false,"cursor":null},"has_more":false,"next_cursor":"x"}`,
		`[1, 2]`: `{"data":[1, 2],"pagination":{"has_more":false,"cursor":null}}`,
	} {
		if out, ok := pages.Normalize(pages.Source{}, json.RawMessage(payload), sealer, now); !ok || string(out) != want {
			t.Errorf("%s\nbecame %s\nnot    %s", payload, out, want)
		}
	}
}

func TestForeignCursorsAreRefused(t *testing.T) {
	src := pages.Source{Server: "s", Tool: "t", Caller: "c", Schema: schemaOf("cursor,q"), Args: json.RawMessage(`{"q":"a"}`)}
	out, _ := pages.Normalize(src, json.RawMessage(`{"items":[1],"nextCursor":"two"}`), sealer, now)
	text, _ := wire.Text(wire.Path(out, "pagination", "cursor"))
	with := func(q, text string) json.RawMessage {
		return json.RawMessage(`{"q":"` + q + `","cursor":"` + text + `"}`)
	}
	for name, change := range map[string]func(*pages.Source){
		"tool": func(s *pages.Source) { s.Tool = "u" }, "server": func(s *pages.Source) { s.Server = "u" },
		"caller": func(s *pages.Source) { s.Caller = "u" }, "arguments": func(s *pages.Source) { s.Args = with("b", text) },
		"altered": func(s *pages.Source) { s.Args = with("a", text[:len(text)-2]) },
		"name":    func(s *pages.Source) { s.Args = json.RawMessage(`{"q":"` + text + `"}`) },
	} {
		other := src
		other.Args = with("a", text)
		change(&other)
		if args, _, err := pages.Resume(other, sealer, now); err == nil {
			t.Errorf("another %s: resumed as %s", name, args)
		}
	}
	src.Args = with("a", text)
	if _, _, err := pages.Resume(src, sealer, now.Add(31*24*time.Hour)); err == nil {
		t.Error("a cursor a month old is taken")
	}
	if args, ok, err := pages.Resume(src, sealer, now); err != nil || !ok || string(args) != `{"q":"a","cursor":"two"}` {
		t.Errorf("resumed as %s, %v, %v", args, ok, err)
	}
}

// A cursor whose prefix was altered is known for ours still, and goes nowhere.
func TestAlteredCursorsAreRefused(t *testing.T) {
	src := pages.Source{Server: "s", Tool: "t", Caller: "c", Schema: schemaOf("cursor,after,q"), Args: json.RawMessage(`{}`)}
	out, _ := pages.Normalize(src, json.RawMessage(`{"items":[1],"nextCursor":"two"}`), sealer, now)
	text, _ := wire.Text(wire.Path(out, "pagination", "cursor"))
	body := strings.TrimPrefix(text, "pwc1.")
	for _, altered := range []string{"pwc2." + body, "PWC1." + body, "pwc1" + body, "xwc1." + body, body, " " + text, text + " ", "pwc1", text[1:], body[:80], "pwc1.", "pwc9.x", "Pwc1." + body[:20]} {
		for _, name := range []string{"cursor", "after"} {
			src.Args = wire.Object([]wire.Member{{Name: name, Value: wire.Quote(altered)}})
			args, resumed, err := pages.Resume(src, sealer, now)
			if ours := altered != "pwc1"; (err != nil) != ours || resumed {
				t.Errorf("%s %q: %s, %v", name, altered, args, err)
			}
		}
	}
	for _, theirs := range []string{`{"cursor":"eyJzIjoiYSJ9"}`, `{"cursor":"dXNlcjpVMDYxTkZUVDI="}`, `{"cursor":"pw"}`, `{"q":"` + body + `"}`, `{"after":""}`} {
		src.Args = json.RawMessage(theirs)
		if args, resumed, err := pages.Resume(src, sealer, now); err != nil || resumed || string(args) != theirs {
			t.Errorf("%s became %s, %v", theirs, args, err)
		}
	}
}

// leaves lists what stands in a document outside of arrays, each with its name.
func leaves(object json.RawMessage, found map[[2]string]int, n int) {
	for _, m := range wire.Fields(object) {
		if m.Value[0] == '{' && string(m.Value) != "{}" {
			leaves(m.Value, found, n)
			continue
		}
		found[[2]string{m.Name, string(m.Value)}] += n
	}
}

func FuzzNormalizeDropsNothing(f *testing.F) {
	for _, s := range shapes {
		f.Add(strings.NewReplacer("@", `[{"id":1.0}]`, "~", s.next[0], "+", "1", "^", "0").Replace(s.body))
	}
	f.Add(`{"data":{"data":[1],"pagination":{}},"pagination":1,"upstream_data":2,"next_cursor":"x"}`)
	src := pages.Source{Schema: schemaOf("cursor,page:integer")}
	f.Fuzz(func(t *testing.T, payload string) {
		out, ok := pages.Normalize(src, json.RawMessage(payload), sealer, now)
		if !ok {
			if string(out) != payload {
				t.Errorf("%q became %q", payload, out)
			}
			return
		}
		members := wire.Fields(out)
		if !json.Valid(out) || len(members) < 2 || members[0].Name != "data" || members[1].Name != "pagination" || !strings.Contains(payload, string(members[0].Value)) {
			t.Fatalf("%q became %q", payload, out)
		}
		if strings.Contains(payload, `pstream_`) {
			return // renamed members cannot be told from those
		}
		balance := map[[2]string]int{}
		leaves(json.RawMessage(payload), balance, 1)
		for _, m := range members[2:] {
			if renamed, ok := strings.CutPrefix(m.Name, "upstream_"); ok {
				m.Name = renamed
			}
			leaves(wire.Object([]wire.Member{m}), balance, -1)
		}
		gone := 0
		for what, n := range balance {
			if n != 0 && what[1] != string(members[0].Value) {
				t.Errorf("%q became %q: %q is there %d times less", payload, out, what, n)
			}
			gone += n
		}
		if bare := payload[strings.IndexAny(payload, "[{")] == '['; !bare && gone != 1 {
			t.Errorf("%q became %q: %d members are gone", payload, out, gone)
		}
	})
}

// FuzzResume has any arguments: nothing of ours that was altered goes upstream.
func FuzzResume(f *testing.F) {
	src := pages.Source{Server: "s", Tool: "t", Caller: "c", Schema: schemaOf("cursor,after"), Args: json.RawMessage(`{"q":1}`)}
	out, _ := pages.Normalize(src, json.RawMessage(`{"items":[1],"nextCursor":"two"}`), sealer, now)
	text, _ := wire.Text(wire.Path(out, "pagination", "cursor"))
	for _, c := range []string{text, text[1:], "pwc1.", "two", "", "pwc1.eyJzIjoi"} {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, c string) {
		src.Args = wire.Object([]wire.Member{{Name: "q", Value: json.RawMessage("1")}, {Name: "cursor", Value: wire.Quote(c)}})
		args, resumed, err := pages.Resume(src, sealer, now)
		switch {
		case resumed != (err == nil && c == text):
			t.Errorf("%q: resumed %v as %s, %v", c, resumed, args, err)
		case resumed && string(args) != `{"q":1,"cursor":"two"}`, err == nil && !resumed && string(args) != string(src.Args):
			t.Errorf("%q: resumed as %s", c, args)
		case err == nil && !resumed && strings.HasPrefix(c, "pwc1."):
			t.Errorf("%q is passed on", c)
		}
	})
}
