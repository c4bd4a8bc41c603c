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

// endings are the signals that end the program in good order. A terminal that is closed is
// one, unless whoever started the program had it ignored, as nohup does.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// program is run with what the process has.
func program() int {
	log.SetOutput(io.Discard) //nolint:forbidigo // net/http quotes in it what a peer sends out of turn, secrets and all
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	defer stop()
	return run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
}
