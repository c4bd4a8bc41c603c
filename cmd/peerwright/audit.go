package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/peerwright/peerwright/internal/store/audit"
)

func newAudit(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read, check and prune the audit log of a tool server",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuditList(s), newAuditVerify(s), newAuditPrune(s))
	return cmd
}

// oneFile asks for the one argument of the commands.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s takes one FILE, but was given %q", cmd.CommandPath(), args)
	}
	if _, err := os.Stat(args[0]); err != nil {
		return usage("the audit log cannot be read: %v", err)
	}
	return nil
}

// withLog opens the log for as long as use runs.
func withLog(ctx context.Context, path string, readOnly bool, use func(l *audit.Log) error) error {
	l, err := audit.Open(ctx, path, audit.Options{ReadOnly: readOnly})
	if err != nil {
		return usageError{err}
	}
	return errors.Join(use(l), l.Close())
}

func newAuditList(s streams) *cobra.Command {
	var f audit.Filter
	var outcome, source, since, until string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list FILE",
		Short:   "List calls, the oldest first",
		Example: "  peerwright audit list --outcome denied --since 24h audit.db",
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Outcome, f.Source = audit.Outcome(outcome), audit.Source(source)
			if err := checkFilter(f); err != nil {
				return err
			}
			var err error
			if f.Since, err = moment("since", since, time.Now()); err != nil {
				return err
			}
			if f.Until, err = moment("until", until, time.Now()); err != nil {
				return err
			}
			return withLog(cmd.Context(), args[0], true, func(l *audit.Log) error {
				entries, err := l.Entries(cmd.Context(), f)
				if err != nil || !asJSON {
					return errors.Join(err, printEntries(s.out, entries))
				}
				return printJSON(s.out, entries)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Tool, "tool", "", "calls of this tool only")
	flags.StringVar(&f.Caller, "caller", "", "calls of this caller only")
	flags.StringVar(&f.Server, "server", "", "calls of this server only")
	flags.StringVar(&outcome, "outcome", "", "ok, error, timeout, denied or invalid")
	flags.StringVar(&source, "source", "", "toolserver or relay")
	flags.StringVar(&since, "since", "", "not before: a time (RFC 3339), a day, or how long ago (24h, 7d)")
	flags.StringVar(&until, "until", "", "not after, written like --since")
	flags.IntVar(&f.Limit, "limit", 0, "the newest so many; 0 means all")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func checkFilter(f audit.Filter) error {
	known := f.Outcome == ""
	for _, o := range audit.Outcomes() {
		known = known || f.Outcome == o
	}
	switch {
	case !known:
		return usage("there is no outcome %q; there are %v", f.Outcome, audit.Outcomes())
	case f.Source != "" && f.Source != audit.Toolserver && f.Source != audit.Relay:
		return usage("there is no source %q; there are %s and %s", f.Source, audit.Toolserver, audit.Relay)
	case f.Limit < 0:
		return usage("--limit %d: a limit is not negative", f.Limit)
	}
	return nil
}

// moment reads a time, a day, or how long ago; "" is no bound.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, usage("--%s %q: write a time (2026-07-28T10:00:00Z), a day (2026-07-28), or how long ago (24h, 7d)", flag, text)
}

func printEntries(w io.Writer, entries []audit.Entry) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(tw, "SEQ\tTIME\tOUTCOME\tSERVER\tTOOL\tCALLER\tMS\tDETAIL") // Flush tells
	for _, e := range entries {
		_, _ = fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%s\t%s\t%.1f\t%s\n", e.Seq, e.At.Format(time.RFC3339), e.Outcome,
			oneLine(e.Server), oneLine(e.Tool), oneLine(e.Caller), float64(e.Duration)/float64(time.Millisecond), oneLine(e.Detail))
	}
	if err := tw.Flush(); err != nil {
		return fmt.Errorf("writing the list: %w", err)
	}
	return nil
}

// oneLine writes out what a caller may have put in to spoil the list.
func oneLine(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) // a quotation mark spoils nothing
}

func newAuditVerify(s streams) *cobra.Command {
	var head string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check that no row was changed, taken out, moved or cut off",
		Long: `Check that no row was changed, taken out, moved or cut off.

Whoever can write the file can write the whole chain anew. Note the head that
verify prints elsewhere, and give it with --head: then that is found too.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			noted, err := parseHead(head)
			if err != nil {
				return err
			}
			return withLog(cmd.Context(), args[0], true, func(l *audit.Log) error {
				v, err := l.Verify(cmd.Context(), noted...)
				if err != nil {
					return err
				}
				return tellVerification(s.out, v, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&head, "head", "", "a head that was noted before, as SEQ:HASH")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func parseHead(text string) ([]audit.Head, error) {
	if text == "" {
		return nil, nil
	}
	number, hash, ok := strings.Cut(text, ":")
	seq, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || len(hash) != 64 {
		return nil, usage("--head %q: write SEQ:HASH, as verify prints it", text)
	}
	return []audit.Head{{Seq: seq, Hash: strings.ToLower(hash)}}, nil
}

func tellVerification(w io.Writer, v audit.Verification, asJSON bool) error {
	if asJSON {
		if err := printJSON(w, v); err != nil {
			return err
		}
	} else {
		var b strings.Builder
		for _, f := range v.Faults {
			fmt.Fprintf(&b, "%s: %s\n", f.Kind, f.Message)
		}
		if v.Sound() {
			fmt.Fprintf(&b, "sound: %d rows, %d pruned before\n", v.Rows, v.Pruned)
		}
		fmt.Fprintf(&b, "head %d:%s\n", v.Head.Seq, v.Head.Hash)
		if _, err := io.WriteString(w, b.String()); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	if !v.Sound() {
		return errBad
	}
	return nil
}

func newAuditPrune(s streams) *cobra.Command {
	var b audit.Bounds
	var older string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "prune FILE",
		Short:   "Take out the oldest rows; what is left can still be verified",
		Example: "  peerwright audit prune --keep-last 10000 --older-than 30d audit.db",
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if b.OlderThan, err = moment("older-than", older, time.Now()); err != nil {
				return err
			}
			if b.KeepLast < 0 || b == (audit.Bounds{}) {
				return usage("say what to keep: --keep-last N, --older-than 30d, or both")
			}
			return withLog(cmd.Context(), args[0], false, func(l *audit.Log) error {
				n, err := l.Prune(cmd.Context(), b)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.out, map[string]int64{"pruned": n})
				}
				_, err = fmt.Fprintf(s.out, "pruned %d rows\n", n)
				return err
			})
		},
	}
	cmd.Flags().Int64Var(&b.KeepLast, "keep-last", 0, "how many of the newest rows to keep")
	cmd.Flags().StringVar(&older, "older-than", "", "take out calls before: a time, a day, or how long ago (30d)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
