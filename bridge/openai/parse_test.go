package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseKeepsWhatItDoesNotKnow(t *testing.T) {
	const body = ` {"model":"m","n":1.0,"temperature":0.10,"seed":9007199254740993,"stream":null,"user":"u\u0041",` +
		`"messages":[{"role":"system","content":null},` +
		`{"role":"user","name":"n","content":[{"type":"text","text":"a\n"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"é"}]},` +
		`{"role":"assistant","tool_calls":[{"id":"1","type":"function","idempotency_key":"k","function":{"name":"f","arguments":"{\"a\": 1.50}"}},` +
		`{"id":"2","type":"custom","custom":{"name":"c","input":"i"}},{"function":{"name":"g"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":"done"}],"stream_options":{"include_usage":true,"x":1}} `
	r, err := parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Body) != body || r.Model != "m" || r.User != "uA" || r.Stream || !r.IncludeUsage || len(r.Messages) != 4 {
		t.Errorf("%+v", r)
	}
	if m := r.Messages[0]; m.Content != nil || m.Role != "system" {
		t.Errorf("%+v", m)
	}
	parts := r.Messages[1].Content
	if len(parts) != 3 || parts[0].Text != "a\n" || parts[1].Type != "image_url" || string(parts[1].Raw) != `{"type":"image_url","image_url":{"url":"u"}}` || parts[2].Text != "é" {
		t.Errorf("%+v", parts)
	}
	calls := r.Messages[2].ToolCalls
	if len(calls) != 3 || calls[0].Name != "f" || calls[0].Arguments != `{"a": 1.50}` || calls[0].IdempotencyKey != "k" || calls[1].Type != "custom" || calls[2].Arguments != "" {
		t.Errorf("%+v", calls)
	}
	if m := r.Messages[3]; m.ToolCallID != "1" || m.Content[0].Text != "done" {
		t.Errorf("%+v", m)
	}
}

func TestParseTakesTheLastOfTwoMembers(t *testing.T) {
	r, err := parse([]byte(`{"model":"a","messages":[{"role":"user","role":"tool"}],"model":"b"}`))
	if err != nil || r.Model != "b" || r.Messages[0].Role != "tool" {
		t.Errorf("%+v %v", r, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","messages":[{"role":"user","content":"x"}]}`,
		`{"messages":[{"role":"a","content":[{"type":"text","text":"\ud800"}],"tool_calls":[{"function":{"name":"f","arguments":""}}]}]}`,
		`{"messages":[{"role":null}],"n":1e0,"stream_options":null}`, `[]`, `{`, "", "\xff", `{"messages":[[[[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := parse(body)
		if err != nil {
			fail, ok := errors.AsType[Failure](err)
			if !ok || fail.status() != http.StatusBadRequest || fail.Cause.Message == "" {
				t.Fatalf("%q: %v", body, err)
			}
			if !json.Valid(Envelope(err)) {
				t.Fatalf("%q: envelope %s", body, Envelope(err))
			}
			return
		}
		var want struct {
			Model    *string
			Messages []struct{ Role *string }
		}
		d := json.NewDecoder(bytes.NewReader(body))
		if err := d.Decode(&want); err != nil {
			return // encoding/json matches names in any case, and so finds more to object to
		}
		if len(r.Messages) == 0 || !bytes.Equal(r.Body, body) {
			t.Fatalf("%q: %+v", body, r)
		}
		for _, m := range r.Messages {
			if m.Role == "" || !json.Valid(m.Raw) {
				t.Fatalf("%q: %+v", body, m)
			}
		}
	})
}

func FuzzString(f *testing.F) {
	for _, seed := range []string{"", "a", "é\u2028\"\\\n\x00\x7f", "\xff\xe2\x28\xa1", "\xf0\x9f\x98"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, s string, at int) {
		quoted := appendString(nil, s)
		var got string
		if err := json.Unmarshal(quoted, &got); err != nil || got != string([]rune(s)) || !utf8.Valid(quoted) || bytes.ContainsAny(quoted, "\r\n") {
			t.Fatalf("%q: %s, %v", s, quoted, err)
		}
		if at < 0 || at > len(s) || !utf8.ValidString(s) {
			return
		}
		n := whole(s[:at])
		if !utf8.ValidString(s[:n]) || at-n >= utf8.UTFMax {
			t.Fatalf("%q cut at %d is held back from %d", s, at, n)
		}
	})
}

func FuzzCutStrings(f *testing.F) {
	f.Add(`{"a":"` + strings.Repeat("é", 1001) + `"}`)
	f.Add(`["` + strings.Repeat(`\"`, 600) + `","x",1.50]`)
	f.Fuzz(func(t *testing.T, doc string) {
		if !json.Valid([]byte(doc)) {
			return
		}
		short := cutStrings([]byte(doc))
		if !json.Valid([]byte(short)) {
			t.Fatalf("%q became %q", doc, short)
		}
		if len(doc) <= longest && short != doc {
			t.Fatalf("%q became %q", doc, short)
		}
	})
}

func TestCut(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{strings.Repeat("é", longest), strings.Repeat("é", longest)},
		{strings.Repeat("é", longest+1), strings.Repeat("é", longest-len(cutMark)) + cutMark},
	} {
		if got := cut(tc.in); got != tc.want {
			t.Errorf("%d characters, want %d", utf8.RuneCountInString(got), utf8.RuneCountInString(tc.want))
		}
		if got := cutStrings([]byte(`{"a":["` + tc.in + `"]}`)); got != `{"a":["`+tc.want+`"]}` {
			t.Errorf("in JSON: %s", got)
		}
	}
}
