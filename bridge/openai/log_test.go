package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// lines keeps what is written, and lets a test wait for it: a line is written once the
// answer is with the client.
type lines struct {
	mu   sync.Mutex
	more chan struct{}
	buf  bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	return l.buf.Write(b)
}

// wait returns what was written once that has n lines.
func (l *lines) wait(t *testing.T, n int) string {
	t.Helper()
	for {
		l.mu.Lock()
		text := l.buf.String()
		if strings.Count(text, "\n") >= n {
			l.mu.Unlock()
			return text
		}
		more := make(chan struct{})
		l.more = more
		l.mu.Unlock()
		select {
		case <-more:
		case <-t.Context().Done():
			t.Fatalf("waiting for %d lines: %q", n, text)
		}
	}
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(l, nil)) }

func TestEveryRequestIsOneLineWithoutSecrets(t *testing.T) {
	const key, canary = "an-inbound-key-of-the-bridge", "sk-live-4eC39HqLyjWDarjtT1zdp7dcXY"
	var log lines
	o := chats(func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		if r.Messages[0].Content[0].Text == "fail" {
			return failure(errclass.Timeout, errclass.Call{})
		}
		return reply.Text(canary)
	})
	o.Keys, o.Log, o.AllowPassthrough = []string{key}, log.logger(), true
	base := start(t, o)
	with := []string{"X-API-Key", key, "Authorization", "Bearer " + canary, "Cookie", "session=" + canary}
	post(t, base, hello, append(with, "X-Request-Id", "mine-1")...)
	post(t, base, strings.Replace(hello, "hello", "fail", 1), with...)
	send(t, "GET", base+"/nowhere/token="+canary+"?api_key="+canary, "", with...)
	post(t, base, strings.Replace(hello, `"m"`, `"`+canary+`"`, 1), with...)
	send(t, "GET", base+"/healthz", "")
	text := log.wait(t, 5)
	for _, secret := range []string{key, canary} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in the log: %s", secret, text)
		}
	}
	want := []struct {
		path, model, class, id string
		status                 int
	}{
		{"/v1/chat/completions", "m", "", "mine-1", 200},
		{"/v1/chat/completions", "m", "timeout", "", 504},
		{"", "", "not_found", "", 404},
		{"/v1/chat/completions", "", "not_found", "", 404},
		{"/healthz", "", "", "", 200},
	}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var got struct {
			Msg, Method, Path, Model, Class, Caller string
			Status                                  int
			ID                                      string   `json:"request_id"`
			Took                                    *float64 `json:"duration_ms"`
			In                                      int      `json:"bytes_in"`
			Out                                     int      `json:"bytes_out"`
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		w := want[i]
		if got.Status != w.status || got.Class != w.class || got.Took == nil || got.Method == "" || got.Out == 0 || got.ID == "" {
			t.Errorf("line %d: %s", i, line)
		}
		if w.path != "" && got.Path != w.path || w.model != "" && got.Model != w.model || w.id != "" && got.ID != w.id {
			t.Errorf("line %d: %s, want %+v", i, line, w)
		}
		if (got.Caller == "") != (w.path == "/healthz") {
			t.Errorf("line %d: caller %q", i, got.Caller)
		}
	}
}

func TestRequestID(t *testing.T) {
	base := start(t, chats(echo))
	for _, tc := range []struct {
		sent string
		kept bool
	}{
		{"abc-DEF_1.2:3", true},
		{strings.Repeat("a", 128), true},
		{strings.Repeat("a", 129), false},
		{"with space", false},
		{`quote"`, false},
		{"é", false},
		{"", false},
	} {
		got := send(t, "GET", base+"/healthz", "", "X-Request-Id", tc.sent).header.Get("X-Request-Id")
		if (got == tc.sent) != tc.kept || got == "" {
			t.Errorf("%q became %q", tc.sent, got)
		}
	}
}
