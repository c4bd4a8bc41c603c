package toolserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// waiting is a server with a tool that runs until its context ends.
func waiting(t *testing.T) (s *toolserver.Server, began chan struct{}, ended chan error) {
	t.Helper()
	s, err := toolserver.New("waiting", toolserver.Options{Audit: filepath.Join(t.TempDir(), "a.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	began, ended = make(chan struct{}, 1), make(chan error, 1)
	err = toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return "", ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, began, ended
}

// TestCancelled asks that a client which gives up its call ends the function's context, by
// the notification or by closing the stream as its revision has it, and that the call is
// written down as one that failed.
func TestCancelled(t *testing.T) {
	ways := map[string]func(t *testing.T, s *toolserver.Server, began chan struct{}){
		"http/2025-11-25": func(t *testing.T, s *toolserver.Server, began chan struct{}) {
			giveUp(t, connect(t, listening(t, s), "2025-11-25", nil, nil), began)
		},
		"http/2026-07-28": func(t *testing.T, s *toolserver.Server, began chan struct{}) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, listening(t, s), strings.NewReader(line(1, "wait", `{}`)))
			req.Header = http.Header{
				"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
				"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"wait"},
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				if resp, err := http.DefaultClient.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
			})
			<-began
			stop()
			wg.Wait()
		},
		"stdio/2026-07-28": func(t *testing.T, s *toolserver.Server, began chan struct{}) {
			r, w := io.Pipe()
			out, said := io.Pipe()
			go func() { _ = s.ServeStdio(t.Context(), r, said) }()
			_, _ = io.WriteString(w, line(1, "wait", `{}`)+"\n")
			<-began
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n"+line(2, "nothing", `{}`)+"\n")
			answers := bufio.NewScanner(out)
			if got := next(t, answers); !strings.Contains(got, `"id":2`) {
				t.Errorf("a call that was cancelled was answered: %s", got)
			}
			_ = w.Close()
		},
	}
	for name, give := range ways {
		t.Run(name, func(t *testing.T) {
			s, began, ended := waiting(t)
			give(t, s, began)
			if err := <-ended; err == nil {
				t.Error("the context has no error")
			}
			for {
				rows, err := s.Audit().Entries(t.Context(), toolserver.Filter{Tool: "wait"})
				if err != nil {
					t.Fatal(err)
				}
				if len(rows) == 1 {
					if rows[0].Outcome != toolserver.Failed || !strings.Contains(rows[0].Detail, "was cancelled") {
						t.Errorf("%+v", rows[0])
					}
					return
				}
				time.Sleep(time.Millisecond) // the row follows the end of the context
			}
		})
	}
}

// giveUp calls with the official client, and cancels.
func giveUp(t *testing.T, cs *mcp.ClientSession, began chan struct{}) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = cs.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}) })
	<-began
	stop()
	wg.Wait()
}

// TestProgress asks that what a tool tells of its progress reaches who asked for it, in
// order, and before the result.
func TestProgress(t *testing.T) {
	for _, revision := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
		var mu sync.Mutex
		var told []float64
		seen := make(chan struct{}, 10)
		o := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, req.Params.Progress)
			seen <- struct{}{}
		}}
		cs := connect(t, listening(t, newLibrary(t, toolserver.Options{})), revision, nil, o)
		params := &mcp.CallToolParams{Name: "count", Arguments: map[string]any{"steps": 3}}
		params.SetProgressToken("mine")
		if res, err := cs.CallTool(t.Context(), params); err != nil || res.IsError {
			t.Fatal(res, err)
		}
		for range 3 {
			<-seen
		}
		mu.Lock()
		if fmt.Sprint(told) != "[1 2 3]" {
			t.Errorf("%s: told %v", revision, told)
		}
		mu.Unlock()
	}
}

// line is a call of 2026-07-28 as one line.
func line(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		id, tool, args)
}

// next is the next answer.
func next(t *testing.T, s *bufio.Scanner) string {
	t.Helper()
	if !s.Scan() {
		t.Fatalf("there is no answer: %v", s.Err())
	}
	return s.Text()
}
