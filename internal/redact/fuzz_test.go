package redact

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var jsonSeeds = []string{
	`{"password":"x","a":[1,2.50,{"token":5}],"b":null}`,
	`{"a":"{\"token\":\"x\"}","properties":{"password":{"type":"string","default":"d"}}}`,
	`[{"name":"Authorization","value":"Basic x"},"--api-key","y"]`,
	` "password=x; Cookie: a=b\nAuthorization: Bearer abcdefgh\n-----BEGIN PRIVATE KEY-----" `,
	`{"u":"https://u:p@h/?token=a%20b#c","\ud800":"\ud83d\ude00\udc00","e":1E+2}`,
	`{"securitySchemes":{"bearer":{"type":"http"}},"security":[{"bearer":[]}]}`,
	`["ghp_abcdefghijklmnopqrstuvwxyz","eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln","[REDACTED:token:0123abcd]"]`,
}

// FuzzJSON holds that JSON stays JSON and changes in strings and numbers only, that a secret under a
// secret name does not survive whatever stands around it, and that twice is once.
func FuzzJSON(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	r := testRedactor()
	f.Fuzz(func(t *testing.T, doc []byte) {
		if !json.Valid(doc) || bytes.Contains(doc, []byte(canary)) {
			return
		}
		got := r.JSON(doc)
		if !json.Valid(got) {
			t.Fatalf("%q became %q, which is not JSON", doc, got)
		}
		if diff := cmp.Diff(skeleton(doc), skeleton(got)); diff != "" {
			t.Errorf("%q became %q:\n%s", doc, got, diff)
		}
		if again := r.JSON(got); !bytes.Equal(again, got) {
			t.Errorf("%q became %q, and then %q", doc, got, again)
		}
		for _, around := range []string{`{"a":%,"password":"#","b":%}`, `[%,{"client_secret":[{"x":"#"},%]}]`, `{"authorization":{"a":%,"b":"#"}}`} {
			nested := strings.NewReplacer("%", string(doc), "#", canary).Replace(around)
			if got := r.JSON([]byte(nested)); bytes.Contains(got, []byte(canary)) {
				t.Errorf("the secret in %q survives in %q", nested, got)
			}
		}
	})
}

// skeleton returns a document with every string and number but a dot, and all else as it is.
func skeleton(doc []byte) string {
	var out strings.Builder
	w := walker{r: testRedactor(), in: doc}
	for w.at < len(doc) {
		switch c := doc[w.at]; {
		case c == '"':
			w.token()
			out.WriteByte('.')
		case c == '-' || isDigit(c):
			w.number(place{})
			out.WriteByte('.')
		case isLower(c):
			from := w.at
			w.literal()
			out.Write(doc[from:w.at])
		default:
			out.WriteByte(c)
			w.at++
		}
	}
	return out.String()
}

// FuzzText holds that nothing panics, that twice is once, and that a known secret never survives.
func FuzzText(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add(s)
	}
	f.Add("password = a,b; token: Bearer x --secret y\nSet-Cookie: a=b; Path=/")
	f.Add("https://u:p@h/?x=token%3Da&sig=%5B")
	f.Add("\"password=x Cookie: C&0 00")
	f.Add("password: =0")
	f.Add("\"Bearer 00000=00\"")
	f.Add("{\"0\":\"00000000&token=\x1f\\b0000\"}")
	f.Add(`\"token\": \"a\\\"b\" 'secret'='x`)
	r := testRedactor().Known(canary)
	f.Fuzz(func(t *testing.T, s string) {
		for _, contentType := range []string{"text/plain", "text/event-stream", "application/x-www-form-urlencoded", "application/x-ndjson"} {
			got := r.Bytes(contentType, []byte(s))
			if again := r.Bytes(contentType, got); !bytes.Equal(again, got) {
				t.Errorf("%s: %q became %q, and then %q", contentType, s, got, again)
			}
		}
		if len(s) == 0 {
			return
		}
		middle := len(s) / 2
		text := s[:middle] + canary + s[middle:]
		for _, got := range []string{
			string(r.Text([]byte(text))), r.URL(text), string(r.JSON([]byte(strconv.Quote(text)))),
			string(r.Bytes("text/event-stream", []byte(text))),
		} {
			if strings.Contains(got, canary) {
				t.Errorf("the secret in %q survives in %q", text, got)
			}
		}
	})
}

func FuzzQuote(f *testing.F) {
	f.Add(`\ud83d\ude00\ud800\u0000\n\"\/`)
	f.Fuzz(func(t *testing.T, inside string) {
		raw := `"` + inside + `"`
		if !json.Valid([]byte(raw)) || !utf8.ValidString(inside) {
			return
		}
		means := unquoted([]byte(inside))
		text := quoted(means)
		if !json.Valid(text) {
			t.Fatalf("%q became %q", raw, text)
		}
		if again := unquoted(text[1 : len(text)-1]); !bytes.Equal(means, again) {
			t.Errorf("%q means %q, and then %q", raw, means, again)
		}
		var want, got string
		if json.Unmarshal([]byte(raw), &want) != nil || json.Unmarshal(text, &got) != nil || want != got {
			t.Errorf("%q is %q, and then %q", raw, want, got)
		}
	})
}
