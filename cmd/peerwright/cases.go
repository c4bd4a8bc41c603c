package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// caseInfo is what `cases` tells of one case, and its JSON form.
type caseInfo struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	Protocol  string          `json:"protocol"`
	Kind      string          `json:"kind"` // case or monitor
	Area      string          `json:"area"`
	Level     reporters.Level `json:"level"`
	Core      bool            `json:"core"`
	Revisions []string        `json:"revisions"`
	Needs     []string        `json:"needs"`
	Rule      reporters.Rule  `json:"rule"`
	Fix       string          `json:"fix"`
}

func newCases(s streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cases [ID]",
		Short: "List the cases, or explain one: its rule, what a failure means, how to mend it",
		Example: `  peerwright cases
  peerwright cases mcp.pagination.invalid-cursor`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("cases takes one ID, but was given %q", args)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			all := allCases()
			if len(args) == 1 {
				return explain(s.out, all, args[0], asJSON)
			}
			return list(s.out, all, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func allCases() []caseInfo {
	var all []caseInfo
	for _, suite := range suites() {
		for i, m := range suite.Metas() {
			kind := "case"
			if i >= len(suite.Cases) {
				kind = "monitor"
			}
			all = append(all, info(m, kind))
		}
	}
	slices.SortFunc(all, func(a, b caseInfo) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func info(m conformance.Meta, kind string) caseInfo {
	needs := make([]string, 0, len(m.Needs))
	for _, f := range m.Needs {
		needs = append(needs, string(f))
	}
	return caseInfo{
		ID: m.ID, Title: m.Title, Protocol: m.Protocol, Kind: kind, Area: string(m.Area), Level: m.Level,
		Core: m.Core, Revisions: m.Revisions, Needs: needs, Rule: m.Rule, Fix: m.Fix,
	}
}

func list(w io.Writer, all []caseInfo, asJSON bool) error {
	if asJSON {
		return printJSON(w, all)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range all {
		_, _ = fmt.Fprintf(tw, "%s\t%s\t%s\n", c.ID, c.Level, c.Title) // Flush tells
	}
	if err := tw.Flush(); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	return nil
}

func explain(w io.Writer, all []caseInfo, id string, asJSON bool) error {
	i := slices.IndexFunc(all, func(c caseInfo) bool { return c.ID == id })
	if i < 0 {
		return usage("there is no case %q%s", id, near(all, id))
	}
	if asJSON {
		return printJSON(w, all[i])
	}
	c := all[i]
	needs := strings.Join(c.Needs, ", ")
	if needs == "" {
		needs = "nothing: any peer of these revisions can be put through it"
	}
	_, err := fmt.Fprintf(w, `%s
%s

  %s %s of %s, area %s
  revisions  %s
  needs      %s

Rule
  %s
  %s

When it does not hold
  %s
`, c.ID, c.Title, c.Level, c.Kind, c.Protocol, c.Area, strings.Join(c.Revisions, ", "), needs, c.Rule.Text, c.Rule.URL, c.Fix)
	if err != nil {
		return fmt.Errorf("writing the explanation: %w", err)
	}
	return nil
}

// near names cases that the user may have meant.
func near(all []caseInfo, id string) string {
	last := id[strings.LastIndexByte(id, '.')+1:]
	var names []string
	for _, c := range all {
		if last != "" && strings.Contains(c.ID, last) && len(names) < 5 {
			names = append(names, c.ID)
		}
	}
	if names == nil {
		return "; `peerwright cases` lists them"
	}
	return "; did you mean " + strings.Join(names, ", ") + "?"
}

func printJSON(w io.Writer, v any) error {
	raw, err := wire.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(raw, '\n')); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
