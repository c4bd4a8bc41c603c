package a2achat_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/openai"
)

// BenchmarkTurn measures turns of conversations that have their context, at 16 in
// flight, beside the agent called directly in the same run.
func BenchmarkTurn(b *testing.B) {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 64
	t := &testing.T{}
	s := newScript(t, func(w http.ResponseWriter, c call) {
		a := artifact("a", parts("an answer of a few words"))
		c.say(w, task("ctx", "completed", a), artifactEvent("ctx", a), completed("ctx"))
	})
	defer s.Close()
	var dialled atomic.Int64
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			dialled.Add(1)
		}
	}
	defer func() { b.Logf("connections to the agent: %d", dialled.Load()) }()
	direct := `{"jsonrpc":"2.0","id":1,"method":"METHOD","params":{"message":{"kind":"message","role":"user","messageId":"m","contextId":"ctx","parts":[{"kind":"text","text":"hi"}]}}}`
	for _, mode := range []struct{ name, method, body string }{
		{"blocking", "message/send", `{"model":"helper","messages":[{"role":"user","content":"hi"}]}`},
		{"streaming", "message/stream", `{"model":"helper","stream":true,"messages":[{"role":"user","content":"hi"}]}`},
	} {
		c := a2achat.AgentConfig{ID: "helper", CardURL: s.URL}
		if mode.name == "blocking" {
			c.StreamMode = a2achat.Blocking
		}
		bridge := newBridge(t, a2achat.Options{Agents: []a2achat.AgentConfig{c}}, openai.Options{})
		b.Run(mode.name+"/direct", func(b *testing.B) {
			post(b, s.URL+"/rpc", strings.Replace(direct, "METHOD", mode.method, 1))
		})
		b.Run(mode.name+"/bridge", func(b *testing.B) { post(b, bridge.URL+"/v1/chat/completions", mode.body) })
		bridge.Server.Close()
		_ = bridge.backend.Close(context.Background())
	}
}

// post posts the body again and again, 16 at a time.
func post(b *testing.B, url, body string) {
	b.Helper()
	b.ReportAllocs()
	b.SetParallelism(16 / runtime.GOMAXPROCS(0))
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-Conversation-Id", "bench")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			n.Add(1)
		}
	})
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "turns/s")
}
