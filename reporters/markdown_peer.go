package reporters

import (
	"cmp"
	"fmt"
	"strings"
)

func (p *page) peer(peer Peer) {
	p.para("### %s", heading(peer))
	p.para("%s", identity(peer))
	p.para("%s **%s**: %s.%s", mark(peer.Verdict), verdictText(peer.Verdict), peer.Coverage(), known(peer.Summary))
	if peer.Error != "" {
		p.labelled("The peer could not be checked", peer.Error)
	}
	if len(peer.Cases) > 0 {
		p.areas(peer)
	}
	p.cases(peer.Cases)
	p.calls(peer.Calls)
}

func heading(peer Peer) string {
	title := inline(peerName(peer))
	if oneLine(peer.Name) == "" {
		title = code(peerName(peer))
	}
	return strings.TrimSpace(title + " " + inline(peer.Version))
}

// peerName is what to call a peer that may not have said its name.
func peerName(peer Peer) string {
	return cmp.Or(oneLine(peer.Name), oneLine(peer.Target), "unnamed peer")
}

func protocolName(peer Peer) string {
	name := strings.ToUpper(peer.Protocol)
	if name == "CHAT" { // no abbreviation, unlike the others
		name = "chat completions"
	}
	return strings.TrimSpace(name + " " + oneLine(peer.Revision))
}

func identity(peer Peer) string {
	text := "Speaks " + inline(protocolName(peer))
	if peer.Transport != "" {
		text += " over " + inline(peer.Transport)
	}
	if peer.Target != "" {
		text += ", at " + code(peer.Target)
	}
	if len(peer.Features) > 0 {
		var names []string
		for _, f := range peer.Features {
			names = append(names, code(f))
		}
		text += ". Declares " + strings.Join(names, ", ")
	}
	return text + "."
}

// known tells of what the baseline excuses, so that no verdict hides it.
func known(s Summary) string {
	if s.KnownFailing+s.KnownFlaky == 0 {
		return ""
	}
	return fmt.Sprintf(" The baseline excuses %d known failing and %d known flaky.", s.KnownFailing, s.KnownFlaky)
}

// column is one count of a [Summary]. Those that are not usual stand in a table only where they count
// something.
type column struct {
	title string
	count func(Summary) int
	usual bool
}

func columns(total Summary) []column {
	all := []column{
		{"passed", func(s Summary) int { return s.Passed }, true},
		{"failed", func(s Summary) int { return s.Failed }, true},
		{"warned", func(s Summary) int { return s.Warned }, true},
		{"not verified", func(s Summary) int { return s.NotVerified }, true},
		{"not applicable", func(s Summary) int { return s.NotApplicable }, true},
		{"skipped", func(s Summary) int { return s.Skipped }, false},
		{"errored", func(s Summary) int { return s.Errored }, false},
		{"known failing", func(s Summary) int { return s.KnownFailing }, false},
		{"known flaky", func(s Summary) int { return s.KnownFlaky }, false},
	}
	var shown []column
	for _, c := range all {
		if c.usual || c.count(total) > 0 {
			shown = append(shown, c)
		}
	}
	return shown
}

func (p *page) areas(peer Peer) {
	shown := columns(peer.Summary)
	p.WriteString("| area |")
	for _, c := range shown {
		fmt.Fprintf(p, " %s |", c.title)
	}
	p.WriteString("\n| :-- |" + strings.Repeat(" --: |", len(shown)) + "\n")
	for _, name := range peer.Areas.names() {
		p.row(inline(name), peer.Areas[name], shown)
	}
	p.row("**all**", peer.Summary, shown)
	p.WriteString("\n")
}

func (p *page) row(name string, s Summary, shown []column) {
	fmt.Fprintf(p, "| %s |", name)
	for _, c := range shown {
		if n := c.count(s); n > 0 {
			fmt.Fprintf(p, " %d |", n)
		} else {
			p.WriteString(" · |")
		}
	}
	p.WriteString("\n")
}

func (p *page) calls(calls []Call) {
	if len(calls) == 0 {
		return
	}
	p.para("#### Calls made")
	for _, c := range calls {
		fmt.Fprintf(p, "- %s, %s: %s\n", code(c.Tool), times(c.Count), inline(c.Why))
	}
	p.WriteString("\n")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
