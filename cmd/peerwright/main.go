// Command peerwright checks MCP servers and A2A agents against their contract on
// the wire: it reports, records and replays.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(program()) }

// program is run with what the process has.
func program() int {
	log.SetOutput(io.Discard) //nolint:forbidigo // net/http quotes in it what a peer sends out of turn, secrets and all
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	defer stop()
	return run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
}
