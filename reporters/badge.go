package reporters

import (
	"fmt"
	"net/url"
	"strings"
)

// badgeLine returns one badge a peer. The alternative text says the same in full, so that the line
// reads without the image.
func badgeLine(r Report) string {
	if len(r.Peers) == 0 {
		return badge("peerwright: no peer was checked", "peerwright", "no peer was checked", badgeColor(r.Verdict, r.Summary))
	}
	var badges []string
	for _, p := range r.Peers {
		alt := fmt.Sprintf("%s on %s: %s, %s", peerName(p), protocolName(p), p.Verdict, p.Coverage())
		badges = append(badges, badge(alt, protocolName(p), badgeMessage(p), badgeColor(p.Verdict, p.Summary)))
	}
	return strings.Join(badges, "\n")
}

func badgeMessage(p Peer) string {
	must := p.Levels.Must
	text := fmt.Sprintf("%s, %d/%d MUST", p.Verdict, must.Exercised(), must.Applicable())
	if known := p.Summary.KnownFailing; known > 0 {
		text += fmt.Sprintf(", %d known failing", known)
	}
	return text
}

func badge(alt, label, message, color string) string {
	return fmt.Sprintf("![%s](https://img.shields.io/badge/%s-%s-%s)",
		inline(alt), badgeText(label), badgeText(message), color)
}

// badgeText follows the escapes of shields.io: a doubled hyphen or underscore is one, a single one
// separates or is a space.
func badgeText(s string) string {
	s = strings.NewReplacer("-", "--", "_", "__").Replace(oneLine(s))
	return linkTarget(url.PathEscape(s))
}

// badgeColor is bright green only where nothing needs excusing.
func badgeColor(v Verdict, s Summary) string {
	switch {
	case v == NotConformant:
		return "red"
	case v != Conformant:
		return "yellow"
	case s.KnownFailing+s.KnownFlaky > 0:
		return "yellowgreen"
	}
	return "brightgreen"
}
