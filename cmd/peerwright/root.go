package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// version is the version of the program. It is not a released one yet.
const version = "0.1.0-dev"

// streams are where a command reads and writes: results to out, progress, logs and
// errors to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, errTold) {
		tell(s.err, err)
	}
	return exitCode(err)
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "peerwright",
		Short: "Proves that MCP servers and A2A agents keep their contract on the wire",
		Long: `Peerwright proves that MCP servers and A2A agents keep their contract on the wire.
It checks a peer as it is deployed, records real traffic, and replays it.

Exit codes: 0 done and good; 1 done and the answer is bad; 2 usage or
configuration error; 3 a peer could not be started or reached.`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v; see `%s --help`", err, cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newReport(s), newCases(s), newRecord(s), newReplay(s), newBridge(s), newAudit(s))
	return root
}

// noArgs is cobra's own check, with an error that says what there is.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasSubCommands() {
		return usage("%s takes no arguments, but was given %q; see `%s --help`", cmd.CommandPath(), args, cmd.CommandPath())
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return usage("there is no command %q; the commands are %s", args[0], strings.Join(names, ", "))
}
