package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/reporters"
)

// conversation is what a client would say to an MCP server on a stream.
const conversation = `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"client","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"prompts/list","params":{"cursor":"not-a-cursor"}}
{"jsonrpc":"2.0","id":4,"method":"resources/list","params":{}}
`

// answered closes its reader once as many lines were written to it as there are
// requests to answer: a client that leaves when it has heard everything.
type answered struct {
	mu    sync.Mutex
	left  int
	heard bytes.Buffer
	done  chan struct{}
}

func (a *answered) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard.Write(p)
	for range bytes.Count(p, []byte("\n")) {
		if a.left--; a.left == 0 {
			close(a.done)
		}
	}
	return len(p), nil
}

func TestRecordAndReplayOverStdio(t *testing.T) {
	file := filepath.Join(t.TempDir(), "server.fixture.jsonl")
	command := acting(t, "good")
	client := &answered{left: 4, done: make(chan struct{})}
	says, mouth := io.Pipe()
	go func() {
		_, _ = io.WriteString(mouth, conversation)
		<-client.done
		_ = mouth.Close()
	}()
	var errs bytes.Buffer
	within(t, 30*time.Second, func() {
		if code := run(t.Context(), append([]string{"record", "-o", file}, command...), streams{says, client, &errs}); code != exitGood {
			t.Errorf("exit %d: %s", code, errs.String())
		}
	})
	if got := peerwright(t, append([]string{"replay", file, "--format", "json"}, command...)...); got.code != exitGood {
		t.Errorf("a replay against the same server: exit %d\n%s%s", got.code, got.out, got.err)
	} else if r := readReport(t, []byte(got.out)); r.Summary.Passed != 5 { // the notification is one, too
		t.Errorf("replayed %+v", r.Summary)
	}
	wrong, stop, err := serve(func(string) http.Handler { return mcppeer.New(mcppeer.Options{PageSize: 1000}).Handler() })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	got := peerwright(t, "replay", file, "--format", "json", "--mcp", wrong+"/mcp")
	r := readReport(t, []byte(got.out))
	if got.code != exitBad || r.Summary.Failed == 0 {
		t.Fatalf("a server without pages: exit %d, %+v", got.code, r.Summary)
	}
	for _, c := range r.Peers[0].Cases {
		if c.Status == reporters.Failed && !strings.Contains(c.ID, "list") {
			t.Errorf("%s failed, which is about no list: %s", c.ID, c.Actual)
		}
	}
}

// listening finds where the recorder listens.
var listening = regexp.MustCompile(`point the client at (\S+),`)

// notice is a writer that tells when it has been told where the recorder listens.
type notice struct {
	mu   sync.Mutex
	text bytes.Buffer
	url  chan string
}

func (n *notice) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text.Write(p)
	if m := listening.FindSubmatch(n.text.Bytes()); m != nil && n.url != nil {
		n.url <- string(m[1])
		n.url = nil
	}
	return len(p), nil
}

func TestRecordAndReplayAnAgent(t *testing.T) {
	agent, stop, err := serve(a2apeer.New(a2apeer.Options{}).Handler)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	file := filepath.Join(t.TempDir(), "agent.fixture.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	told := &notice{url: make(chan string, 1)}
	url := told.url
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"record", "-o", file, "--a2a", agent}, streams{strings.NewReader(""), io.Discard, told})
	}()
	speak(t, <-url)
	cancel()
	if code := <-ended; code != exitGood {
		t.Fatalf("exit %d: %s", code, told.text.String())
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the fixture is %v, %v", info, err)
	}
	got := peerwright(t, "replay", file, "--format", "json", "--a2a", agent)
	if r := readReport(t, []byte(got.out)); got.code != exitGood || r.Summary.Passed == 0 {
		t.Errorf("a replay against the same agent: exit %d, %+v\n%s", got.code, r.Summary, got.out)
	}
}

// speak lets a client have a conversation with the agent: cases of the suite that look
// at no task before it has ended, so that a replay meets the same states.
func speak(t *testing.T, url string) {
	t.Helper()
	target := a2a.NewTarget(a2a.Config{URL: url, Now: time.Now})
	peer, err := harness.Run(t.Context(), target, a2a.Suite(), harness.Options{
		Select: harness.Selection{Only: []string{"a2a.streaming.declared", "a2a.streaming.closes", "a2a.tasks.get-task", "a2a.errors.unknown-task"}}, Now: time.Now, Redactor: redact.New([]byte("k")),
	})
	if err != nil || peer.Error != "" {
		t.Fatal(err, peer.Error)
	}
}
