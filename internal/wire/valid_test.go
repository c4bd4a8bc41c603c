package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

// validSeeds are JSON and what is nearly JSON.
func validSeeds() []string {
	seeds := []string{
		``, ` `, `{}`, `[]`, ` { } `, ` [ ] `, `{"a":1}`, `{"a":1,}`, `{"a" : [1 , 2 ] , "b" : {}}`, `{a:1}`, `{"a"}`, `{"a":}`, `{,}`, `[,]`, `[1,]`, `[1 2]`,
		`{]`, `[}`, `[`, `{`, `{"a":1`, `"`, `"a`, `"\`, `"\"`, `"\u12`, `"\u12g4"`, `"\u12A4"`, `"\x"`, `"\/\b\f\n\r\t\\\""`, "\"\x01\"", "\"\x7f\"", "\"\xff\"", "\"é\"", "\"\n\"",
		`0`, `-`, `-0`, `01`, `1.`, `.1`, `1.5`, `1e`, `1e+`, `1e+5`, `1E-05`, `-1.5e9x`, `+1`, `NaN`, `true`, `tru`, `truex`, `false`, `null`, `nul`, `nullnull`, `1 1`, "\ufeff{}", "\v1",
		`"aaaaaaaa"`, `"aaaaaaa"`, `"aaaaaaaaa\"`, "\"aaaaaaaa\x1f\"", "\"aaaaaaaaaaa\x00aaaa\"", `"aaaaaaaaaaaaaaaaaaaaa\naaaaaaaaaaa"`,
	}
	for _, depth := range []int{maxNesting, maxNesting + 1} {
		seeds = append(seeds, strings.Repeat("[", depth)+strings.Repeat("]", depth), strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth))
	}
	return seeds
}

func TestValid(t *testing.T) {
	for _, seed := range validSeeds() {
		if got, want := Valid([]byte(seed)), json.Valid([]byte(seed)); got != want {
			t.Errorf("%.60q: %v, want %v", seed, got, want)
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, seed := range validSeeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got, want := Valid(raw), json.Valid(raw); got != want {
			t.Errorf("%q: %v, want %v", raw, got, want)
		}
	})
}

// Every byte ends a plain run, or does not, wherever it stands.
func TestPlainEnd(t *testing.T) {
	for c := range 256 {
		special := c < ' ' || c == '"' || c == '\\' || c >= 0x80
		for at := range 20 {
			text := []byte(strings.Repeat("!", 20))
			text[at] = byte(c)
			for from := range at + 1 {
				want := 20
				if special {
					want = at
				}
				if got, same := PlainEnd(text, from), PlainEnd(string(text), from); got != want || same != want {
					t.Fatalf("byte %#x at %d, from %d: %d and %d, want %d", c, at, from, got, same, want)
				}
			}
		}
	}
}

// Text reads what encoding/json does.
func FuzzText(f *testing.F) {
	for _, seed := range append(validSeeds(), `"{\"a\":\"é\\\\\/\"}"`, `"a\tb\nc\rd\be\f"`, `"a\u00e9\ud83d\ude00"`, "\"\xff\"", `"a"b"`, `"a\"`) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want string
		ok := len(raw) > 1 && raw[0] == '"' && json.Unmarshal(raw, &want) == nil
		if got, is := Text(raw); is != ok || got != want {
			t.Errorf("%q: %q, %v; want %q, %v", raw, got, is, want, ok)
		}
	})
}

// Quote writes what the encoder of encoding/json does.
func FuzzQuote(f *testing.F) {
	for _, seed := range append(validSeeds(), "tab\tnewline\nreturn\r\b\f", "\u2028", "\u2029x", "é<>&", "\x7f", "\ufffd", "\xed\xa0\x80") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(Quote(s)), string(appendEncoded(nil, s)); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	raw := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 1000) + `"}]}}`)
	for name, valid := range map[string]func([]byte) bool{"ours": Valid, "theirs": json.Valid} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				valid(raw)
			}
		})
	}
}
