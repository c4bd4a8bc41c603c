package openai_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/openai"
)

// The benchmarks compare a chat completion through a backend that does nothing with a
// plain HTTP server that reads a body and answers one of the same size, each with its
// client, over loopback. The difference is what this package costs.

var asked = `{"model":"m","messages":[{"role":"system","content":"` + strings.Repeat("be kind ", 30) + `"},{"role":"assistant","content":null,"tool_calls":[` +
	`{"id":"call_1","type":"function","function":{"name":"list_repos","arguments":"{\"org\": \"acme\"}"}}]},{"role":"user","content":"` + strings.Repeat("what is it? ", 40) + `"}]}`

var told = strings.Repeat("so it is. ", 50)

func BenchmarkPlain(b *testing.B) {
	roundTrips(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, told+told[:300])
	}), asked)
}

func BenchmarkChat(b *testing.B) { roundTrips(b, benched(b), asked) }

func BenchmarkStream(b *testing.B) { roundTrips(b, benched(b), `{"stream":true,`+asked[1:]) }

// BenchmarkServeHTTP is the package alone, without sockets.
func BenchmarkServeHTTP(b *testing.B) {
	h := benched(b)
	b.ReportAllocs()
	for b.Loop() {
		r, _ := http.NewRequest(http.MethodPost, "http://127.0.0.1/v1/chat/completions", strings.NewReader(asked))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer k1")
		h.ServeHTTP(&sink{header: http.Header{}}, r)
	}
}

// sink is a ResponseWriter that keeps nothing.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) WriteHeader(int)             {}

func BenchmarkLongText(b *testing.B) {
	const size = 5 << 20
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		for range size / 64 {
			if err := reply.Text(told[:64]); err != nil {
				return err
			}
		}
		return nil
	})
	h, err := openai.New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	for b.Loop() {
		r, _ := http.NewRequest(http.MethodPost, "http://127.0.0.1/v1/chat/completions", strings.NewReader(hello))
		h.ServeHTTP(&sink{header: http.Header{}}, r)
	}
}

// benched returns a server as it runs in production: with keys, a log and metrics.
func benched(b *testing.B) http.Handler {
	b.Helper()
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error { return reply.Text(told) })
	o.Keys, o.Log, o.Metrics = []string{"k1"}, slog.New(slog.NewJSONHandler(nobody{}, nil)), prometheus.NewRegistry()
	h, err := openai.New(o)
	if err != nil {
		b.Fatal(err)
	}
	return h
}

// nobody reads what is logged, but it is to be written all the same.
type nobody struct{}

func (nobody) Write(b []byte) (int, error) { return len(b), nil }

func roundTrips(b *testing.B, h http.Handler, body string) {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	go func() { _ = srv.Serve(ln) }()
	b.Cleanup(func() { srv.Close() })
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	url := "http://" + ln.Addr().String() + "/v1/chat/completions"
	b.SetParallelism(8)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var buf bytes.Buffer
		for pb.Next() {
			req, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer k1")
			res, err := tr.RoundTrip(req)
			if err != nil {
				b.Error(err)
				return
			}
			buf.Reset()
			_, _ = buf.ReadFrom(res.Body)
			res.Body.Close()
			if res.StatusCode != http.StatusOK {
				b.Errorf("%d %s", res.StatusCode, buf.String())
				return
			}
		}
	})
}
