package redact

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeader(t *testing.T) {
	in := http.Header{
		"Authorization":    {"Bearer x", "x"},
		"x-api-key":        {"x"},
		"Cookie":           {"a=1; b=2=3;c"},
		"Set-Cookie":       {"a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax; odd", "b=2"},
		"Mcp-Session-Id":   {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"},
		"Www-Authenticate": {`Bearer realm="r", resource_metadata="https://h/x"`},
		"Location":         {"https://u:p@h/cb?access_token=x&state=s"},
		"X-Context":        {`{"token":"x"}`},
		"Content-Type":     {"application/json"},
		"X-Empty":          {},
	}
	want := http.Header{
		"Authorization":    {"Bearer «authorization»", "«authorization»"},
		"x-api-key":        {"«api_key»"},
		"Cookie":           {"a=«cookie»; b=«cookie»;«cookie»"},
		"Set-Cookie":       {"a=«set_cookie»; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax; «set_cookie»", "b=«set_cookie»"},
		"Mcp-Session-Id":   {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"},
		"Www-Authenticate": {`Bearer realm="r", resource_metadata="https://h/x"`},
		"Location":         {"https://%5BREDACTED:userinfo:%5D@h/cb?access_token=«access_token»&state=s"},
		"X-Context":        {`{"token":"«token»"}`},
		"Content-Type":     {"application/json"},
		"X-Empty":          {},
	}
	r := testRedactor()
	once := r.Header(in)
	got := http.Header{}
	for name, values := range once {
		got[name] = []string{}
		for _, v := range values {
			got[name] = append(got[name], short([]byte(userinfoDigest.ReplaceAllString(v, "$1"))))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(once, r.Header(once)); diff != "" {
		t.Errorf("redacted again (-once +twice):\n%s", diff)
	}
	if in.Get("Authorization") != "Bearer x" {
		t.Error("the header passed in was changed")
	}
}

func TestSecretValue(t *testing.T) {
	for _, tt := range []struct {
		kind     kind
		in, want string
	}{
		{whole, "x", "«n»"},
		{whole, " x\n", " «n»\n"},
		{whole, "Bearer x", "«n»"},
		{whole, "  ", "  "},
		{auth, "Bearer x", "Bearer «n»"},
		{auth, "bearer  x y", "bearer  «n»"},
		{auth, "Bearer", "«n»"},
		{auth, "Whatever x", "«n»"},
		{auth, "AWS4-HMAC-SHA256 Credential=x", "AWS4-HMAC-SHA256 «n»"},
		{cookie, "a=b; c=d", "a=«n»; c=«n»"},
		{cookie, "dGVzdA==", "«n»"},
		{cookie, "a=", "«n»"},
		{cookie, ";", ";"},
		{setCookie, "a=b; path=/; HttpOnly", "a=«n»; path=/; HttpOnly"},
		{setCookie, "path=x", "path=«n»"},
	} {
		r := testRedactor()
		got := r.secretValue(rule{"n", tt.kind}, []byte(tt.in))
		if short(got) != tt.want {
			t.Errorf("kind %d: %q became %q, want %q", tt.kind, tt.in, short(got), tt.want)
		}
		if again := r.secretValue(rule{"n", tt.kind}, got); string(again) != string(got) {
			t.Errorf("kind %d: %q became %q when redacted again", tt.kind, got, again)
		}
	}
}
