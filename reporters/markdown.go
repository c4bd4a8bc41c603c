package reporters

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Markdown writes the report as GitHub Flavored Markdown, to be read in a README or a comment on a
// pull request. Nothing that a peer said becomes markup in it.
func Markdown(w io.Writer, r Report) error {
	var p page
	p.report(Complete(r))
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// page gathers the text of a report. Whatever it is given must be safe to stand there: see inline,
// code and fenced.
type page struct {
	strings.Builder
}

// para writes one paragraph.
func (p *page) para(format string, args ...any) {
	fmt.Fprintf(p, format, args...) // a strings.Builder never fails
	p.WriteString("\n\n")
}

func (p *page) report(r Report) {
	p.para("%s", badgeLine(r))
	p.para("## Protocol conformance")
	p.para("%s **%s.** Checked with %s %s on %s in %s.", mark(r.Verdict), verdictText(r.Verdict),
		inline(r.Tool.Name), inline(r.Tool.Version), r.StartedAt.Format("2006-01-02 15:04 MST"),
		time.Duration(r.DurationMS)*time.Millisecond)
	if len(r.Peers) == 0 {
		p.para("No peer was checked, so this report shows nothing about any.")
	}
	for _, peer := range r.Peers {
		p.peer(peer)
	}
	if r.Reproduce != "" {
		p.para("### Run it again")
		p.WriteString(fenced("sh", r.Reproduce) + "\n")
	}
}

func mark(v Verdict) string {
	switch v {
	case Conformant:
		return "✅"
	case NotConformant:
		return "❌"
	}
	return "⚠️"
}

func verdictText(v Verdict) string {
	switch v {
	case Conformant:
		return "Conformant"
	case NotConformant:
		return "Not conformant"
	}
	return "Incomplete"
}
