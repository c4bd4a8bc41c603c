package redact

import (
	"bytes"
	"testing"
)

// A peer may say back what it was given, in any words.
func TestKnownCredentials(t *testing.T) {
	r := New([]byte("0123456789abcdef"))
	for _, address := range []string{"https://user:canary%2F1@host/path?token=canary-2&page=canaries&zz=%zz", "http://canary-3@host/", "://"} {
		r.Known(URLSecrets(address)...)
	}
	r.Known(HeaderSecrets("cookie", "sid=canary-4; theme=canary-5")...)
	r.Known(HeaderSecrets("Authorization", "Basic dTpjYW5hcnktNg==")...).Known(HeaderSecrets("X-Own", "canary-7")...)
	for _, said := range []string{
		"the password canary/1 is wrong", "user user:canary%2F1", "canary-2", "no canary-3 here", "session canary-4 is over",
		"theme canary-5", "password canary-6 of u", "dTpjYW5hcnktNg==", "canary-7", "dXNlcjpjYW5hcnkvMQ==",
	} {
		if got := r.Text([]byte(said)); bytes.Contains(got, []byte("canary")) || !bytes.Contains(got, []byte("[REDACTED")) {
			t.Errorf("%q became %q", said, got)
		}
	}
	for _, said := range []string{"user", "canaries", "page", "host", "theme"} {
		if got := r.Text([]byte(said)); string(got) != said {
			t.Errorf("%q became %q", said, got)
		}
	}
}
