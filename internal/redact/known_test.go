package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

func TestKnownIsFoundHoweverItIsWritten(t *testing.T) {
	for _, secret := range []string{"s3cr3t/+ é\"<&>\\x", "plain", "Bearer abc/def==", "123456", "token"} {
		r := testRedactor().Known("", "ab", secret)
		inner := secret[schemeLength([]byte(secret)):]
		escaped, _ := json.Marshal(secret)
		doubly, _ := json.Marshal(string(escaped))
		writings := map[string]string{
			"raw":           "a " + secret + " b",
			"no scheme":     "x" + inner + "x",
			"query":         "?q=" + url.QueryEscape(inner) + "&b=c",
			"path":          "/x/" + url.PathEscape(inner) + "/y",
			"lower hex":     "/x/" + strings.ToLower(url.PathEscape(inner)) + "/y",
			"JSON":          `{"a":` + string(escaped) + `}`,
			"JSON, broken":  `{"a":` + string(escaped),
			"JSON in JSON":  `{"a":` + string(doubly) + `}`,
			"JSON name":     `{` + string(escaped) + `:1}`,
			"JSON, slashes": `{"a":` + strings.ReplaceAll(string(escaped), "/", `\/`) + `}`,
		}
		for name, text := range writings {
			if name == "lower hex" && inner != strings.ToLower(inner) {
				continue
			}
			got := string(r.Bytes("", []byte(text)))
			for _, form := range []string{inner, url.QueryEscape(inner), url.PathEscape(inner), string(escaped[1 : len(escaped)-1])} {
				if strings.Contains(anyMark.ReplaceAllString(got, ""), form) {
					t.Errorf("%s: %q survives in %q", name, form, got)
				}
			}
			if !strings.Contains(got, "[REDACTED:known:") && !strings.Contains(got, "%5BREDACTED%3Aknown%3A") {
				t.Errorf("%s: %q became %q", name, text, got)
			}
			if again := string(r.Bytes("", []byte(got))); again != got {
				t.Errorf("%s: %q became %q when redacted again", name, got, again)
			}
		}
	}
}

func TestKnownInBase64(t *testing.T) {
	const secret = "a known secret?>"
	r := testRedactor().Known(secret)
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		for _, before := range []string{"", "a", "ab", "abc", "user:"} {
			for _, after := range []string{"", "x", "yz"} {
				text := `{"blob":"` + enc.EncodeToString([]byte(before+secret+after)) + `"}`
				if got := short(r.JSON([]byte(text))); !strings.Contains(got, "«known»") {
					t.Errorf("between %q and %q: %s stays", before, after, got)
				}
			}
		}
	}
	if got := short(r.Text([]byte(base64.StdEncoding.EncodeToString([]byte(secret))))); got != "«known»" {
		t.Errorf("alone it leaves %q", got)
	}
}

func TestKnownDigits(t *testing.T) {
	got := testRedactor().Known("123456").JSON([]byte(`{"a":123456,"b":[1234567.5e1],"c":12345}`))
	if want := `{"a":"«known»","b":["«known»7.5e1"],"c":12345}`; short(got) != want || !json.Valid(got) {
		t.Errorf("got %s, want %s", short(got), want)
	}
}

func TestKnownInHeaders(t *testing.T) {
	got := testRedactor().Known("literal").Header(http.Header{"Mcp-Session-Id": {"a-literal-b"}, "X-A": {"literal"}})
	if s, a := got.Get("Mcp-Session-Id"), got.Get("X-A"); short([]byte(s)) != "a-«known»-b" || short([]byte(a)) != "«known»" {
		t.Errorf("got %q and %q", s, a)
	}
}

// A secret may be a word that replacements are made of.
func TestKnownLeavesReplacementsAlone(t *testing.T) {
	r := testRedactor().Known("REDACTED", "token", "[REDACTED:")
	once := r.JSON([]byte(`{"password":"x","b":"a token"}`))
	if got, want := short(once), `{"password":"«password»","b":"a «known»"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if twice := r.JSON(once); string(twice) != string(once) {
		t.Errorf("%s became %s", once, twice)
	}
}

// What is known may grow while others use the redactor, and none of it gets lost.
func TestKnownGrows(t *testing.T) {
	r := testRedactor()
	var all sync.WaitGroup
	for _, secret := range []string{"first-secret", "second-secret", "third-secret"} {
		all.Go(func() {
			r.Known(secret)
			if got := short(r.Text([]byte("a " + secret))); got != "a «known»" {
				t.Errorf("got %q", got)
			}
		})
	}
	all.Wait()
	if got := short(r.Text([]byte("first-secret second-secret third-secret"))); got != "«known» «known» «known»" {
		t.Errorf("got %q", got)
	}
	if got := r.Scan("", []byte("third-secret")); len(got) != 1 || got[0] != "known" {
		t.Errorf("a scan finds %q", got)
	}
}
