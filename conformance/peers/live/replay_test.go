package live_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/conformance/peers/live"
	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
	"github.com/peerwright/peerwright/reporters"
)

// said is what a client says to server-everything; each line waits for the answer to
// the one before.
func said() []string {
	return []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"client","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"args-prompt","arguments":{"city":"Zürich"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":4,"method":"peerwright/no-such-method"}`,
	}
}

// client speaks line by line and keeps what it hears.
type client struct {
	lines  []string
	mouth  *io.PipeWriter
	heard  bytes.Buffer
	buffer bytes.Buffer
}

// say writes the lines up to the next request, in one piece: apart they could overtake
// one another.
func (c *client) say() {
	var words strings.Builder
	for len(c.lines) > 0 {
		line := c.lines[0]
		c.lines = c.lines[1:]
		words.WriteString(line + "\n")
		if wire.Parse([]byte(line)).Kind == wire.KindRequest {
			go func() { _, _ = io.WriteString(c.mouth, words.String()) }()
			return
		}
	}
	_ = c.mouth.Close()
}

func (c *client) Write(p []byte) (int, error) {
	c.heard.Write(p)
	c.buffer.Write(p)
	for {
		line, err := c.buffer.ReadString('\n')
		if err != nil {
			c.buffer.WriteString(line)
			return len(p), nil //nolint:nilerr // the rest of the line has yet to come
		}
		if wire.Parse([]byte(line)).IsResponse() {
			c.say()
		}
	}
}

// record lets the client speak with the peer through the stdio tap.
func record(t *testing.T, command []string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "everything.fixture.jsonl")
	w, err := fixtures.Create(file, fixtures.Header{Protocol: fixtures.MCP, Transport: "stdio"}, false)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recorder.New(w, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ears, mouth := io.Pipe()
	c := &client{lines: said(), mouth: mouth}
	c.say()
	if _, err := recorder.Stdio(t.Context(), command, ears, c, io.Discard, rec); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// bent is a conversation in which the peer's answers are changed on the way.
type bent struct {
	transport.Conn
	from, to string
}

func (b bent) Receive(ctx context.Context) (transport.Incoming, error) {
	in, err := b.Conn.Receive(ctx)
	if err == nil && in.Raw != nil {
		in.Message = wire.Parse([]byte(strings.ReplaceAll(string(in.Raw), b.from, b.to)))
	}
	return in, err
}

// play replays the fixture against the command, with a text in its answers changed.
func play(t *testing.T, file string, at live.Target, from, to string) reporters.Peer {
	t.Helper()
	f, err := fixtures.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := replay.Load(fixtures.Name(file), f, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target, err := replay.MCP(script, replay.MCPConfig{
		Transport: "stdio", Name: "everything", Now: time.Now,
		Dial: func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
			c, err := stdio.Dial(ctx, stdio.Command{Args: at.Command, Env: at.Env}, transport.Options{Tap: tap})
			if err != nil || from == "" {
				return c, err
			}
			return bent{c, from, to}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	peer, err := harness.Run(t.Context(), target, conformance.Suite{Cases: target.Cases()}, harness.Options{Start: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return peer
}

func TestARecordingOfServerEverythingReplays(t *testing.T) {
	if os.Getenv("PEERWRIGHT_LIVE") == "" {
		t.Skip("set PEERWRIGHT_LIVE=1 to check the live peers; make test does")
	}
	for _, p := range live.Peers(root) {
		if p.Name != "node-everything-stdio" {
			continue
		}
		if ok, why := p.Available(); !ok {
			t.Skip(why)
		}
		at, stop, err := p.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		file := record(t, at.Command)
		if got := notPassed(play(t, file, at, "", "")); len(got) > 0 {
			t.Errorf("against the server that was recorded: %q", got)
		}
		got := notPassed(play(t, file, at, `"messages"`, `"massages"`))
		if len(got) != 1 || !strings.Contains(got[0], "prompts/get") && !strings.Contains(got[0], "prompts-get") {
			t.Errorf("against one whose prompts are broken: %q", got)
		}
	}
}

func notPassed(p reporters.Peer) []string {
	var ids []string
	for _, c := range p.Cases {
		if c.Status != reporters.Passed {
			ids = append(ids, string(c.Status)+" "+c.ID+": "+c.Expected+" / "+c.Actual+c.Reason)
		}
	}
	return ids
}
