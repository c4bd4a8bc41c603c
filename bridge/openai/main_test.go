package openai_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/openai"
)

// backend is a Backend that serves the models it is given, or all.
type backend struct {
	models []openai.Model
	all    bool
	chat   func(ctx context.Context, r *openai.Request, reply *openai.Reply) error
}

func (b *backend) Models(context.Context) []openai.Model { return b.models }

func (b *backend) Serves(_ context.Context, model string) bool {
	for _, m := range b.models {
		if m.ID == model {
			return true
		}
	}
	return b.all
}

func (b *backend) Chat(ctx context.Context, r *openai.Request, reply *openai.Reply) error {
	return b.chat(ctx, r, reply)
}

// chats returns options for a server of the model "m" that answers so.
func chats(chat func(ctx context.Context, r *openai.Request, reply *openai.Reply) error) openai.Options {
	return openai.Options{Backends: []openai.Backend{&backend{models: []openai.Model{{ID: "m"}}, chat: chat}}}
}

func echo(_ context.Context, r *openai.Request, reply *openai.Reply) error {
	last := r.Messages[len(r.Messages)-1]
	for _, p := range last.Content {
		if err := reply.Text(p.Text); err != nil {
			return err
		}
	}
	return nil
}

// start serves on a free port until the test ends, and returns the address.
func start(t *testing.T, o openai.Options) string {
	t.Helper()
	s, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return "http://" + ln.Addr().String()
}

// answer is an HTTP answer that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

// send makes one HTTP request; header holds pairs of name and value.
func send(t *testing.T, method, url, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, res.Body); err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, b.String()}
}

func post(t *testing.T, base, body string, header ...string) answer {
	t.Helper()
	return send(t, http.MethodPost, base+"/v1/chat/completions", body, header...)
}
