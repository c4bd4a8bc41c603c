// Command ferret serves the MongoDB protocol on a free port of the loopback interface, for
// tests: FerretDB on SQLite, in a module of its own because of what it stands on. It prints
// its URL as one line, keeps its data in a folder that it removes, and ends when its
// standard input does, or on SIGTERM.
//
// It is no MongoDB: it has no transactions and no TTL indexes, and a query may scan. It
// finds and changes documents in two steps, where MongoDB does so in one, so that commands
// are let through one at a time, see turns.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // however it ended, it ended
		stop()
	}()
	data, err := os.MkdirTemp("", "ferret")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	return serve(ctx, data)
}

func serve(ctx context.Context, data string) error {
	server, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{TCP: "127.0.0.1:0"}, Handler: "sqlite", SQLiteURL: "file:" + data + "/",
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	behind, err := url.Parse(server.MongoDBURI())
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	go func() { _ = oneAtATime(listener, behind.Host) }() // ends with the listener
	fmt.Printf("mongodb://%s/\n", listener.Addr())
	return <-ended
}
