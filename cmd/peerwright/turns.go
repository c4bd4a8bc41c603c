package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/open"
)

// turnsCommand holds the flags of `bridge turns`.
type turnsCommand struct {
	streams
	where        bridgeFlags // the store, and the file that may name it
	filter       store.TurnFilter
	since, until string
	json         bool
}

func newTurns(s streams) *cobra.Command {
	c := &turnsCommand{streams: s}
	cmd := &cobra.Command{
		Use:   "turns",
		Short: "List the turns with agents that a bridge has recorded",
		Long: `List the turns with agents that a bridge has recorded, the oldest first: which
conversation went on in which context, and the task that the agent made of it.`,
		Example: "  peerwright bridge turns --store sqlite:///var/lib/bridge.db --agent helper --since 24h",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&c.where.store, "store", "", "`store` of the bridge: sqlite, sqlite:///path, mongodb://…; that of the configuration file unless given")
	flags.StringVar(&c.where.file, "config", "", "configuration `file`, instead of peerwright.yaml in this folder")
	flags.StringVar(&c.filter.Agent, "agent", "", "only turns with the agent of this `id`")
	flags.StringVar(&c.filter.Conversation, "conversation", "", "only turns of the conversation with this `id`")
	flags.StringVar(&c.since, "since", "", "only turns since this `time`: an RFC 3339 time, or how long ago, such as 24h")
	flags.StringVar(&c.until, "until", "", "only turns up to this `time`")
	flags.IntVar(&c.filter.Limit, "limit", 0, "the newest `n` turns only")
	flags.BoolVar(&c.json, "json", false, "print JSON")
	return cmd
}

func (c *turnsCommand) run(ctx context.Context) error {
	var err error
	if c.filter.Since, err = moment("since", c.since, time.Now()); err != nil {
		return err
	}
	if c.filter.Until, err = moment("until", c.until, time.Now()); err != nil {
		return err
	}
	if c.filter.Limit < 0 {
		return usage("--limit must not be negative")
	}
	url, err := c.url()
	if err != nil {
		return err
	}
	if err := written(url); err != nil {
		return err
	}
	s, err := open.Open(ctx, url, time.Now)
	if err != nil {
		return usageError{err}
	}
	turns, err := a2achat.Turns(ctx, s, c.filter)
	if err == nil {
		err = c.print(turns)
	}
	return errors.Join(err, s.Close())
}

// url finds the store: a bridge keeps nothing in memory that another process could read.
func (c *turnsCommand) url() (string, error) {
	config, err := (&bridgeCommand{streams: c.streams, flags: c.where}).load()
	if err != nil {
		return "", err
	}
	set(&config.Store, c.where.store)
	switch config.Store {
	case "", "memory://":
		return "", usage("name the store of the bridge by --store: one that is kept in memory can be read by the bridge alone")
	case "sqlite":
		return defaultStore()
	}
	return config.Store, nil
}

// written fails where the store is a file that is not there: nobody wrote a turn to it, and
// to look must not make it.
func written(url string) error {
	rest, file := strings.CutPrefix(url, "sqlite:")
	path := strings.TrimPrefix(rest, "//")
	if !file || path == "" {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return usage("the store of the bridge: %w", err)
	}
	return nil
}

// turnLine is a turn as it is printed as JSON.
type turnLine struct {
	Agent        string    `json:"agent"`
	Conversation string    `json:"conversation"`
	Caller       string    `json:"caller,omitempty"`
	Seq          int64     `json:"seq"`
	At           time.Time `json:"at"`
	Context      string    `json:"context_id,omitempty"`
	Task         string    `json:"task_id,omitempty"`
	Message      string    `json:"message_id,omitempty"`
	State        string    `json:"state"`
}

func (c *turnsCommand) print(turns []a2achat.Turn) error {
	if !c.json {
		return printTurns(c.out, turns)
	}
	lines := []turnLine{}
	for _, t := range turns {
		lines = append(lines, turnLine{t.Agent, t.Conversation, t.Caller, t.Seq, t.At, t.Context, t.Task, t.Message, t.State})
	}
	return printJSON(c.out, lines)
}

func printTurns(w io.Writer, turns []a2achat.Turn) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "AT\tAGENT\tCONVERSATION\tSEQ\tSTATE\tTASK\tCONTEXT") // Flush tells
	for _, t := range turns {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", t.At.Format(time.RFC3339), t.Agent, t.Conversation, t.Seq, t.State, t.Task, t.Context)
	}
	return table.Flush()
}
