package wire_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

func TestParseKinds(t *testing.T) {
	for raw, want := range map[string]wire.Kind{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                              wire.KindRequest,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                wire.KindNotification,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                           wire.KindRequest,
		`{"jsonrpc":"2.0","id":"a","result":{}}`:                                wire.KindResult,
		`{"jsonrpc":"2.0","id":"a","result":null}`:                              wire.KindResult,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`:    wire.KindError,
		` [{"jsonrpc":"2.0","id":1,"method":"ping"}] `:                          wire.KindBatch,
		`{"jsonrpc":"2.0","id":1}`:                                              wire.KindInvalid,
		`Server listening on stdio`:                                             wire.KindInvalid,
		`"text"`:                                                                wire.KindInvalid,
		``:                                                                      wire.KindInvalid,
		`{"jsonrpc":"2.0","id":1,"result":{}} trailing`:                         wire.KindInvalid,
		`{"id":1,"method":"ping","jsonrpc":"2.0","x":[{"y":1}],"params":[1,2]}`: wire.KindRequest,
	} {
		if got := wire.Parse([]byte(raw)); got.Kind != want {
			t.Errorf("%s is a %s, not a %s", raw, got.Kind, want)
		} else if string(got.Raw) != raw {
			t.Errorf("%s was kept as %s", raw, got.Raw)
		}
	}
}

func TestParseProblems(t *testing.T) {
	for raw, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`: "result and error together",
		`{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`:                    "a method together with",
		`{"jsonrpc":"1.0","id":1,"method":"m"}`:                                `is not "2.0"`,
		`{"id":1,"method":"m"}`:                                                `is not "2.0"`,
		`{"jsonrpc":"2.0","id":{},"method":"m"}`:                               "neither a string, a number nor null",
		`{"jsonrpc":"2.0","id":1,"method":7}`:                                  "method is not a string",
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`:                         `"id" stands twice`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":"p"}`:                   "neither an object nor an array",
		`{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}`:                     "error has no code",
		`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}`:          "is not an integer",
		`{"jsonrpc":"2.0","id":1,"error":{"code":"-32601","message":"m"}}`:     "is not an integer",
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`:                          "error has no message",
		`{"jsonrpc":"2.0","id":1,"error":"broken"}`:                            "error member",
		`{"jsonrpc":"2.0","result":{}}`:                                        "a result without an id",
		`[]`:                                                                   "an empty batch",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}":                   "not valid UTF-8",
		`nope`: "not valid JSON",
	} {
		got := wire.Parse([]byte(raw)).Problems
		if !slices.ContainsFunc(got, func(p string) bool { return strings.Contains(p, want) }) {
			t.Errorf("%s: the problems %q do not name %q", raw, got, want)
		}
	}
	if got := wire.Parse([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":{"a":1}}}`)); got.Problems != nil ||
		got.Error.Code != -32601 || got.Error.Message != "no" || string(got.Error.Data) != `{"a":1}` {
		t.Errorf("a good error was read as %+v", got)
	}
}

func TestIDsKeepTypeAndDigits(t *testing.T) {
	ids := []string{`1`, `"1"`, `1.0`, `9007199254740993`, `0`, `""`, `"007"`, `-1`, `null`}
	for i, a := range ids {
		got := wire.Parse([]byte(`{"jsonrpc":"2.0","id":` + a + `,"method":"m"}`)).ID
		if got.String() != a {
			t.Errorf("id %s was read as %s", a, got)
		}
		if back, err := json.Marshal(got); err != nil || string(back) != a {
			t.Errorf("id %s was written as %s, %v", a, back, err)
		}
		for j, b := range ids {
			if got.Equal(wire.RawID([]byte(b))) != (i == j) {
				t.Errorf("%s equals %s: %v", a, b, i != j)
			}
		}
	}
	if !wire.RawID([]byte(`"a\u0062"`)).Equal(wire.StringID("ab")) {
		t.Error("two spellings of one string are different ids")
	}
}

func TestBuiltMessagesParse(t *testing.T) {
	id := wire.StringID("<&>")
	for raw, kind := range map[string]wire.Kind{
		string(wire.Request(id, "m", json.RawMessage(`{"a":1}`))):          wire.KindRequest,
		string(wire.Request(id, "m", nil)):                                 wire.KindRequest,
		string(wire.Notification("m", nil)):                                wire.KindNotification,
		string(wire.Result(id, json.RawMessage(`{}`))):                     wire.KindResult,
		string(wire.Failure(id, -1, "<no>", json.RawMessage(`[1]`))):       wire.KindError,
		string(wire.Failure(wire.ID{}, -32700, "cannot read the id", nil)): wire.KindError,
	} {
		got := wire.Parse([]byte(raw))
		if got.Kind != kind || got.Problems != nil {
			t.Errorf("%s is a %s with the problems %q", raw, got.Kind, got.Problems)
		}
		if strings.Contains(raw, `\u003c`) {
			t.Errorf("%s escapes what JSON does not ask to", raw)
		}
	}
}

func TestMembersKeepOrderAndDuplicates(t *testing.T) {
	got, err := wire.Members([]byte(`{"b":1,"a":{"x":[1,2]},"b":1e400}`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range got {
		names = append(names, m.Name+"="+string(m.Value))
	}
	if want := []string{`b=1`, `a={"x":[1,2]}`, `b=1e400`}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	for _, bad := range []string{``, `[]`, `{"a":}`, `{"a":1`, `1`} {
		if _, err := wire.Members([]byte(bad)); err == nil {
			t.Errorf("%q passed for an object", bad)
		}
	}
	if got := wire.Path([]byte(`{"a":{"b":{"c":3}}}`), "a", "b", "c"); string(got) != "3" {
		t.Errorf("path a.b.c leads to %s", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"m"}`, `[{}]`, `{"error":{"code":1}}`, "\xff", `{"id":[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := wire.Parse(raw)
		if string(m.Raw) != string(raw) {
			t.Fatal("the bytes were not kept")
		}
		if m.Kind == wire.KindInvalid && len(m.Problems) == 0 {
			t.Fatal("invalid, and no word why")
		}
		if !m.ID.IsZero() && !json.Valid([]byte(m.ID.String())) {
			t.Fatalf("id %q is not JSON", m.ID)
		}
	})
}
