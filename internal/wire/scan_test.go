package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/wire"
)

func TestGetOfWhatIsNoObject(t *testing.T) {
	for _, raw := range []string{``, ` `, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":"`, `{"a":[`, `{"a":{"b":1}`, `[{"a":1}]`, `"a"`, `1`, `{a:1}`, `{"b" 1}`, `{"a":}`, `{"a\`} {
		if got := wire.Get([]byte(raw), "a"); got != nil && raw != `{"a":{"b":1}` {
			t.Errorf("%s has the member %s", raw, got)
		}
	}
	for raw, want := range map[string]string{
		`{"a":1,"a":2}`: `2`,
		"{\t\"b\" : [ \"}\" ] , \"a\" : \"\\\"\" }": `"\""`,
		`{"\u0061":true}`:              `true`,
		`{"b":{"a":1},"a":{"x":[{}]}}`: `{"x":[{}]}`,
		`{"a":-1.5E+7}`:                `-1.5E+7`,
	} {
		if got := wire.Get([]byte(raw), "a"); string(got) != want {
			t.Errorf("the member a of %s is %s", raw, got)
		}
	}
}

// FuzzMembers compares the scanner with the decoder of the standard library.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":[{"c":"}"}],"a":null}`, `{"\u0061\"":"\\"}`, "{\"\xff\":1}", `{"a":1}x`, `{"a":01}`, "{\"a\":\"\n\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := wire.Members(raw)
		_ = wire.Get(raw, "a")
		_ = wire.Path(raw, "a", "b")
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(raw, &want)
		if isObject := wantErr == nil && want != nil; isObject != (err == nil) {
			t.Fatalf("%q: %v, but the decoder says %v", raw, err, wantErr)
		}
		last := map[string]json.RawMessage{}
		for _, m := range got {
			last[m.Name] = m.Value
		}
		if err == nil && len(last) > 0 {
			if d := cmp.Diff(want, last); d != "" {
				t.Fatal(d)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	raw := wire.Request(wire.IntID(7), "tools/call", json.RawMessage(`{"name":"echo","arguments":{"text":"`+string(make1K())+`"},"_meta":{"progressToken":7}}`))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if m := wire.Parse(raw); m.Kind != wire.KindRequest {
			b.Fatal(m.Problems)
		}
	}
}

func make1K() []byte {
	b := make([]byte, 1024)
	for i := range b {
		b[i] = 'x'
	}
	return b
}
