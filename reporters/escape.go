package reporters

import (
	"fmt"
	"strings"
	"unicode"
)

// Nothing that a peer says may become markup: not a table cell, a heading, HTML, a mention, a formula,
// nor text that runs backwards. Entities are never read as structure (CommonMark 0.31 §2.5), and hold in
// table cells too, where a backslash before a bar means different things to different readers.

// unlinked keeps addresses from becoming links.
var unlinked = strings.NewReplacer("://", "&#58;//", "www.", "www&#46;")

// inline returns s as plain text within a line of GitHub Flavored Markdown. It is not safe at the
// beginning of a line, where a hyphen or a number begins a list.
func inline(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch r {
		case '\\', '`', '*', '_', '[', ']', '~':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '<', '>', '&', '|':
			fmt.Fprintf(&b, "&#%d;", r)
		case '@', '#': // a zero-width space, lest it notify a user or refer to an issue
			fmt.Fprintf(&b, "&#%d;&#8203;", r)
		case '$': // the way to write one that begins no formula, by GitHub's documentation
			b.WriteString("<span>$</span>")
		default:
			b.WriteRune(r)
		}
	}
	return unlinked.Replace(b.String())
}

// code returns s as code within a line: a code span where that is safe anywhere, else as HTML.
func code(s string) string {
	s = oneLine(s)
	if s == "" {
		return "<code></code>"
	}
	if !strings.ContainsAny(s, "`|\\") && strings.TrimSpace(s) == s {
		return "`" + s + "`"
	}
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range s {
		if r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteString("</code>")
	return b.String()
}

// fenced returns s as a code block, in a fence longer than any run of backticks inside.
func fenced(language, s string) string {
	s = strings.TrimRight(visible(s), "\n")
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return fence + language + "\n" + s + "\n" + fence
}

func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// oneLine joins the lines of s, and shows what cannot be seen.
func oneLine(s string) string {
	return strings.Join(strings.Fields(visible(s)), " ")
}

// visible returns s as valid UTF-8 with every control and formatting character but the line feed
// written out, so that none reaches a terminal or turns the reading direction.
func visible(s string) string {
	var b strings.Builder
	s = strings.ReplaceAll(validUTF8(s), "\r\n", "\n")
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteRune(r)
		case r == '\t':
			b.WriteString("    ")
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// linkTarget returns an address so that it stays inside the parentheses of a link.
func linkTarget(url string) string {
	var b strings.Builder
	for _, c := range []byte(url) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("()<>[]\\`\"|", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
