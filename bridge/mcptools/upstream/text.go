package upstream

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// maxText is how many bytes of a message are passed on.
const maxText = 1000

// text returns words as they may be shown: without secrets, without what
// a terminal would obey, and not too long.
func (s *slot) text(said string) string {
	if len(said) > 4*maxText {
		said = said[:4*maxText] // what is cut off here would not be shown anyway
	}
	said = strings.ToValidUTF8(string(s.hide.Text([]byte(said))), "�")
	said = strings.TrimSpace(strings.Map(printable, said))
	if len(said) <= maxText {
		return said
	}
	cut := maxText
	for !utf8.RuneStart(said[cut]) {
		cut--
	}
	return said[:cut] + "… (cut)"
}

func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return ' '
	}
	return r
}

// sayings are the members of an error body in which its words stand, in many a dialect.
var sayings = []string{"message", "error_description", "detail", "title", "error", "errors", "reason"}

// bodyText returns what the body of a refusal says to people; "" where it says nothing, or
// only to a browser.
func bodyText(h http.Header, body []byte) string {
	trimmed := strings.TrimSpace(string(body[:min(len(body), 16*maxText)]))
	switch kind := transport.MediaType(h); {
	case trimmed == "", strings.HasPrefix(trimmed, "<"), strings.Contains(kind, "html"), strings.Contains(kind, "xml"):
		return ""
	case strings.HasPrefix(trimmed, "{"):
		return saying(body, 3)
	case !utf8.ValidString(trimmed) && len(body) <= 16*maxText, strings.ContainsRune(trimmed, 0):
		return ""
	}
	if said, ok := wire.Text([]byte(trimmed)); ok {
		return said
	}
	return trimmed
}

// saying looks for the words in an object, and in the objects in it.
func saying(object []byte, depth int) string {
	if depth == 0 {
		return ""
	}
	for _, name := range sayings {
		value := wire.Get(object, name)
		if said, ok := wire.Text(value); ok && strings.TrimSpace(said) != "" {
			return said
		}
		if len(value) > 0 && value[0] == '{' {
			if said := saying(value, depth-1); said != "" {
				return said
			}
		}
	}
	return ""
}

// headerValue returns a text as it may stand in a header.
func headerValue(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '_'
		}
		return r
	}, s)
}
