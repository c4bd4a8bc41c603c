package a2achat

import (
	"net/http"
	"testing"
	"time"
)

// The signatures were computed by:
//
//	printf %s TEXT | openssl dgst -sha256 -hmac SECRET
func TestSignatures(t *testing.T) {
	at := time.Unix(1738491000, 999_000_000)
	for name, c := range map[string]struct {
		config CallerConfig
		secret string
		id     string
		want   map[string]string
	}{
		"plain": {
			CallerConfig{IDHeader: "X-Caller-Id", AuthHeader: "X-Caller-Auth"},
			"s3cret", "user-7",
			map[string]string{"X-Caller-Id": "user-7", "X-Caller-Auth": "19551a9a65128312"},
		},
		"longer": {
			CallerConfig{IDHeader: "X-Caller-Id", AuthHeader: "X-Caller-Auth", DigestBytes: new(32)},
			"s3cret", "user-7",
			map[string]string{"X-Caller-Id": "user-7", "X-Caller-Auth": "19551a9a65128312009d0db12d4b8f3bd8ab13b550e524b0787f4bf7c2a36126"},
		},
		"with a time": {
			CallerConfig{IDHeader: "X-Caller-Id", AuthHeader: "X-Caller-Auth", TimestampHeader: "X-Caller-Time"},
			"s3cret", "user-7",
			map[string]string{"X-Caller-Id": "user-7", "X-Caller-Time": "1738491000", "X-Caller-Auth": "fbe1f85978affbfe655a5cfacda9ff0f0ce18094482bc3098e331db6126c5988"},
		},
		"no id": {CallerConfig{IDHeader: "X-Caller-Id", AuthHeader: "X-Caller-Auth"}, "s3cret", "", nil},
		// RFC 4231, test case 2.
		"RFC 4231": {
			CallerConfig{IDHeader: "X-Id", AuthHeader: "X-Auth", DigestBytes: new(32)},
			"Jefe", "what do ya want for nothing?",
			map[string]string{"X-Id": "what do ya want for nothing?", "X-Auth": "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		},
	} {
		request := http.Header{}
		request.Set("X-Caller-Auth", "forged")
		if c.id != "" {
			request.Set(c.config.IDHeader, c.id)
		}
		got := identity{c.config, []byte(c.secret)}.header(request, at)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", name, got)
		}
		for header, want := range c.want {
			if got.Get(header) != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got.Get(header), want)
			}
		}
	}
}

func TestNoIdentityIsConfigured(t *testing.T) {
	if h := (identity{}).header(http.Header{"": {"x"}}, time.Now()); h != nil {
		t.Errorf("%v", h)
	}
}
