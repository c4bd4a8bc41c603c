package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/internal/heap"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
)

// bridgeCommand holds the flags of `bridge`.
type bridgeCommand struct {
	streams
	flags bridgeFlags
	red   *redact.Redactor
	seen  func(flag string) bool // whether the user gave the flag
}

func newBridge(s streams) *cobra.Command {
	c := &bridgeCommand{streams: s, red: redact.New([]byte(rand.Text()))}
	cmd := &cobra.Command{
		Use:   "bridge [flags] [-- command args…]",
		Short: "Serve A2A agents and MCP servers as an OpenAI-compatible endpoint",
		Long: `Serve A2A agents and MCP servers as an OpenAI-compatible endpoint.

Each A2A agent is a model, whose words reach the client unchanged. The tools of MCP
servers are executed when a request holds calls, with one error contract, cursors and
idempotency keys; with --llm, a model server chooses the calls. Peers are named by
flags, behind a double dash, or in the section bridge of peerwright.yaml. A file of
a2a-bridge is taken as it is. The endpoint is described in docs/bridge-api.md.

The credential for a single MCP server is taken from MCP_AUTH_TOKEN or GITHUB_TOKEN,
where one of these is set. The bridge listens on this machine only, unless --listen
says otherwise; beyond it, callers have to show a key of those in --keys-env.`,
		Example: `  peerwright bridge --mcp http://127.0.0.1:3000/mcp
  peerwright bridge -- npx -y @modelcontextprotocol/server-everything stdio
  peerwright bridge --a2a helper=https://agent.example.org/ --store sqlite
  peerwright bridge --config agents.yml --listen 0.0.0.0:3847 --keys-env BRIDGE_KEYS`,
		Args: afterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.seen = cmd.Flags().Changed
			return c.run(cmd.Context(), args)
		},
	}
	c.flags.register(cmd.Flags())
	cmd.AddCommand(newTurns(s))
	return cmd
}

// run serves until the context ends.
func (c *bridgeCommand) run(ctx context.Context, command []string) error {
	config, err := c.configure(command)
	if err != nil {
		return err
	}
	b, err := bridge.Open(ctx, config, c.env())
	if err != nil {
		return usageError{err}
	}
	defer c.close(ctx, b)
	ln, err := c.listen(ctx, &config)
	if err != nil {
		return err
	}
	defer heap.Floor(heapFloor)()
	greeted := make(chan struct{})
	go func() { // it serves at once, whatever its peers do
		defer close(greeted)
		c.welcome(ctx, b, config, ln.Addr())
	}()
	err = b.Serve(ctx, ln)
	<-greeted
	return err
}

// heapFloor is what the heap may take before it is collected, in bytes: 32 MiB.
const heapFloor = 32 << 20

// closing bounds the end: what is still under way then is cut short.
const closing = 10 * time.Second

func (c *bridgeCommand) close(ctx context.Context, b *bridge.Bridge) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		warn(c.err, c.red, fmt.Errorf("closing: %w", err))
	}
}

func (c *bridgeCommand) env() bridge.Env {
	return bridge.Env{
		Lookup: os.LookupEnv, Now: time.Now, Random: rand.Reader, Log: c.log(),
		Trace: c.out, Redact: c.red, Version: version,
	}
}

// log writes a line for each request and what went wrong to stderr.
func (c *bridgeCommand) log() *slog.Logger {
	if c.flags.quiet {
		return slog.New(slog.NewJSONHandler(c.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	return slog.New(slog.NewJSONHandler(c.err, nil))
}

// spare is how many further ports are tried where the usual one is taken, and the user
// named none.
const spare = 10

func (c *bridgeCommand) listen(ctx context.Context, config *bridge.Config) (net.Listener, error) {
	address, tries := config.Listen, 0
	if address == "" {
		address, tries = bridge.DefaultListen, spare
	}
	var listen net.ListenConfig
	ln, err := listen.Listen(ctx, "tcp", address)
	for n := 1; err != nil && n <= tries; n++ {
		ln, err = listen.Listen(ctx, "tcp", plus(address, n))
	}
	if err != nil {
		return nil, awayError{fmt.Errorf("listening on %s: %w: name another address by --listen", address, err)}
	}
	return ln, nil
}

// plus returns the address with a port that is n higher.
func plus(address string, n int) string {
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return address
	}
	a.Port += n
	return a.String()
}

// awayError is a service that could not be started: it ends the program as a peer does
// that could not be reached.
type awayError struct{ error }

// Is makes it a transport.ErrUnreachable.
func (awayError) Is(target error) bool { return target == transport.ErrUnreachable }
