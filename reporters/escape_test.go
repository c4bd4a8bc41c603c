package reporters

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestInline(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain":    {"weather-server 1.0: ok.", "weather-server 1.0: ok."},
		"emphasis": {"*a* _b_ ~c~", `\*a\* \_b\_ \~c\~`},
		"code":     {"`a`", "\\`a\\`"},
		"link":     {"![a](b)", `!\[a\](b)`},
		"html":     {"<b>&lt;", "&#60;b&#62;&#38;lt;"},
		"cell":     {`a\|b`, `a\\&#124;b`},
		"lines":    {"a\n\n# b\tc", "a &#35;&#8203; b c"},
		"mention":  {"@octocat #1", "&#64;&#8203;octocat &#35;&#8203;1"},
		"formula":  {"$x$", "<span>$</span>x<span>$</span>"},
		"address":  {"https://a.example www.a.example", "https&#58;//a.example www&#46;a.example"},
		"control":  {"a\x1b[0m\u202eb", `a\\u{1b}\[0m\\u{202e}b`},
		"broken":   {"a\xffb", "a\ufffdb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := inline(tt.in); got != tt.want {
				t.Errorf("inline(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestCode(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain":     {"get_weather*", "`get_weather*`"},
		"empty":     {"", "<code></code>"},
		"backtick":  {"a`b", "<code>a&#96;b</code>"},
		"bar":       {"a|b", "<code>a&#124;b</code>"},
		"html":      {"<b>`", "<code>&#60;b&#62;&#96;</code>"},
		"two lines": {"a\nb", "`a b`"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := code(tt.in); got != tt.want {
				t.Errorf("code(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestFenceIsLongerThanWhatItHolds(t *testing.T) {
	for in, want := range map[string]string{
		"a":            "```text\na\n```",
		"```\nb":       "````text\n```\nb\n````",
		"x `````` y\n": "```````text\nx `````` y\n```````",
		"\x1b\r\nb":    "```text\n\\u{1b}\nb\n```",
	} {
		if got := fenced("text", in); got != want {
			t.Errorf("fenced(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLinkTarget(t *testing.T) {
	if got, want := linkTarget("https://a.example/b) <x>\n|é"), "https://a.example/b%29%20%3Cx%3E%0A%7C%C3%A9"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// entity is all that inline may write with an ampersand, and tag all it may write with a less-than.
var (
	entity = regexp.MustCompile(`&#\d+;`)
	tag    = regexp.MustCompile(`</?span>`)
)

func FuzzInline(f *testing.F) {
	for _, text := range nasty {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{inline(s), code(s)} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) || strings.Contains(got, "|") {
				t.Errorf("%q has what no line may have", got)
			}
		}
		rest := tag.ReplaceAllString(entity.ReplaceAllString(inline(s), "."), ".")
		if strings.ContainsAny(rest, "<>&@#|") || strings.Contains(rest, "://") {
			t.Errorf("%q has markup left: %q", inline(s), rest)
		}
		for i := 0; i < len(rest); i++ {
			if rest[i] == '\\' {
				i++ // an escaped character
			} else if strings.IndexByte("`*_[]~", rest[i]) >= 0 {
				t.Errorf("%q has markup left at %q", inline(s), rest[i:])
			}
		}
	})
}
