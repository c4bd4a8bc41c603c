package reporters

import (
	"fmt"
	"strings"
	"time"
)

// section is one part of the page: the cases of one status. Those that tell of trouble are told in
// full, the others in a line each.
type section struct {
	status Status
	title  string
	mark   string
	full   bool
	folded bool
}

func sections() []section {
	return []section{
		{status: Failed, title: "Failed", mark: "❌", full: true},
		{status: Errored, title: "Errored", mark: "💥", full: true},
		{status: Warned, title: "Warned", mark: "⚠️", full: true},
		{status: KnownFailing, title: "Known failing", mark: "❌", full: true},
		{status: KnownFlaky, title: "Known flaky", mark: "⚠️"},
		{status: NotVerified, title: "Not verified"},
		{status: Skipped, title: "Skipped"},
		{status: NotApplicable, title: "Not applicable", folded: true},
	}
}

func (p *page) cases(cases []Case) {
	for _, s := range sections() {
		var members []Case
		for _, c := range cases {
			if c.Status == s.status {
				members = append(members, c)
			}
		}
		if len(members) > 0 {
			p.section(s, members)
		}
	}
}

func (p *page) section(s section, cases []Case) {
	switch {
	case s.full:
		p.para("#### %s (%d)", s.title, len(cases))
		for _, c := range cases {
			p.caseInFull(s.mark, c)
		}
		return
	case s.folded:
		p.para("<details>\n<summary>%s (%d)</summary>", s.title, len(cases))
	default:
		p.para("#### %s (%d)", s.title, len(cases))
	}
	for _, c := range cases {
		p.caseInBrief(c)
	}
	p.WriteString("\n")
	if s.folded {
		p.para("</details>")
	}
}

func (p *page) caseInBrief(c Case) {
	fmt.Fprintf(p, "- %s: %s", code(c.ID), inline(c.Title))
	if c.Reason != "" {
		fmt.Fprintf(p, ": %s", inline(c.Reason))
	}
	p.WriteString("\n")
}

func (p *page) caseInFull(mark string, c Case) {
	p.para("##### %s %s", mark, inline(c.Title))
	p.para("%s in %s", code(c.ID), inline(c.Area))
	p.para("> **%s**: %s", inline(string(c.Level)), ruleText(c.Rule))
	p.labelled("Reason", c.Reason)
	p.labelled("Expected", c.Expected)
	p.labelled("Actual", c.Actual)
	p.labelled("How to fix", c.Fix)
	p.transcript(c.Transcript)
}

func ruleText(rule Rule) string {
	if rule.URL == "" {
		return inline(rule.Text)
	}
	return fmt.Sprintf("%s ([specification](%s))", inline(rule.Text), linkTarget(rule.URL))
}

// longLine is how many bytes still read well within a line.
const longLine = 300

// labelled writes one thing that is told of a case: within a line where it fits one, else as a block.
func (p *page) labelled(label, text string) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
	case len(text) > longLine, strings.Contains(text, "\n"):
		p.para("**%s:**", label)
		p.para("%s", fenced("text", text))
	default:
		p.para("**%s:** %s", label, inline(text))
	}
}

func (p *page) transcript(frames []Frame) {
	if len(frames) == 0 {
		return
	}
	var lines strings.Builder
	for _, f := range frames {
		if f.LeftOut > 0 {
			fmt.Fprintf(&lines, "… %d left out …\n", f.LeftOut)
		}
		lines.WriteString(frameLine(f) + "\n")
	}
	p.para("<details>\n<summary>Transcript</summary>")
	p.para("%s", fenced("text", lines.String()))
	p.para("</details>")
}

// frameLine shows a frame as number, time, direction, kind and text; further lines of the text are
// indented, so that none passes for a frame.
func frameLine(f Frame) string {
	arrow := "→"
	if f.Dir == In {
		arrow = "←"
	}
	at := time.Duration(f.AtUS) * time.Microsecond
	text := strings.ReplaceAll(strings.TrimRight(visible(f.Text), "\n"), "\n", "\n      ")
	if f.Truncated {
		text += " … (cut off)"
	}
	return fmt.Sprintf("%3d %s %s %s %s", f.N, arrow, at, oneLine(f.Kind), text)
}
