package redact

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// canary is a secret that nothing but its place gives away.
const canary = "Zebra9Secret"

func testRedactor() *Redactor { return New([]byte("0123456789abcdef")) }

var anyMark = regexp.MustCompile(`\[REDACTED:([a-z_]+):[0-9a-f]{8}\]`)

// userinfoDigest is what of a replacement in userinfo differs by key.
var userinfoDigest = regexp.MustCompile(`(%5BREDACTED:userinfo:)[0-9a-f]{8}`)

// short writes a replacement as «name», for tables.
func short(b []byte) string {
	return anyMark.ReplaceAllString(string(b), "«$1»")
}

func TestMarkIsKeyed(t *testing.T) {
	r, other := testRedactor(), New([]byte("another key, of another fixture"))
	one := r.JSON([]byte(`{"token":"` + canary + `"}`))
	again := r.Text([]byte("Authorization: Bearer " + canary))
	digest := func(b []byte) string {
		i := bytes.LastIndexByte(b, ':')
		return string(b[i+1 : i+1+digestLength])
	}
	if digest(one) != digest(again) {
		t.Errorf("the same secret gives %s and %s", one, again)
	}
	if two := r.JSON([]byte(`{"token":"` + canary + `2"}`)); digest(one) == digest(two) {
		t.Errorf("two secrets give the same: %s", two)
	}
	if foreign := other.JSON([]byte(`{"token":"` + canary + `"}`)); digest(one) == digest(foreign) {
		t.Errorf("two keys give the same: %s", foreign)
	}
}

func TestNewKeepsItsKey(t *testing.T) {
	key := []byte("0123456789abcdef")
	r := New(key)
	before := r.Text([]byte("password=" + canary))
	clear(key)
	if after := r.Text([]byte("password=" + canary)); !bytes.Equal(before, after) {
		t.Error("who passed the key can still change it")
	}
}

func TestMarkAt(t *testing.T) {
	for in, want := range map[string]int{
		"[REDACTED:token:0123abcd]":          25,
		"[REDACTED:token:0123abcd] and more": 25,
		"[REDACTED:api_key:0123abcd]":        27,
		"[REDACTED:token:0123abcd":           0,
		"[REDACTED:token:0123abcg]":          0,
		"[REDACTED:token:0123ABCD]":          0,
		"[REDACTED:token:0123abc]":           0,
		"[REDACTED::0123abcd]":               0,
		"[REDACTED:Token1:0123abcd]":         0,
		"[REDACTED:token]":                   0,
		"[REDACTED:":                         0,
		"":                                   0,
		"[REDACTED:" + strings.Repeat("a", maxMarkName+1) + ":0123abcd]": 0,
	} {
		if got := markAt([]byte(in)); got != want {
			t.Errorf("markAt(%q) = %d, want %d", in, got, want)
		}
	}
	for name, r := range secretNames {
		if r.name != "" && !isMark(testRedactor().mark(r.name, []byte("x"))) {
			t.Errorf("the replacement under %q is not recognised", name)
		}
	}
}

func TestScan(t *testing.T) {
	r := testRedactor()
	got := r.Scan("application/json", []byte(`{"password":"a","x":"Bearer abcdef123","y":"password=b"}`))
	if want := "bearer password"; strings.Join(got, " ") != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := r.Scan("", []byte(`{"max_tokens":5,"t":"[REDACTED:token:0123abcd]"}`)); len(got) != 0 {
		t.Errorf("found %q where nothing is", got)
	}
}

// The argument is never written to, and is returned itself where nothing is secret.
func TestArgumentIsLeftAlone(t *testing.T) {
	r := testRedactor().Known("known-literal")
	for _, in := range []string{
		`{"password":"` + canary + `","a":["known-literal"]}`, "Cookie: a=b; c=d\n", "data: {\"token\":\"x\"}\n\n",
	} {
		b := []byte(in)
		r.Bytes("text/event-stream", b)
		r.JSON(b)
		r.Text(b)
		if string(b) != in {
			t.Errorf("%q became %q", in, b)
		}
	}
	plain := []byte(`{ "a" : [1.0, "b"] }`)
	if got := r.JSON(plain); &got[0] != &plain[0] {
		t.Error("a document without secrets was copied")
	}
}
