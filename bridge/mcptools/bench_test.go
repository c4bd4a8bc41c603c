package mcptools_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/internal/wire"
)

// echo is a server whose one tool gives its text back.
func echo() *script {
	return &script{tools: map[string]tool{"echo": {
		`"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
		func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
			w.Write(wire.Result(m.ID, []byte(`{"content":[{"type":"text","text":`+string(wire.Path(m.Params, "arguments", "text"))+`}]}`)))
		},
	}}}
}

// BenchmarkBridge carries calls of 1 KiB, with client, bridge and server on the same cores.
// The budgets: 150 µs more than a direct call at the median, 12,000 a second at 16 in
// flight.
func BenchmarkBridge(b *testing.B) {
	args := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 1000))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	post := func(b *testing.B, url, body string) {
		resp, err := client.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		defer resp.Body.Close()
		if n, err := io.Copy(io.Discard, resp.Body); n < 1000 || err != nil || resp.StatusCode != 200 {
			b.Errorf("%d bytes, status %d, %v", n, resp.StatusCode, err)
		}
	}
	direct := at(b, echo()).Target.URL
	over := start(b, setting{options: func(*mcptools.Options) {}}, at(b, echo()))
	asMCP := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + args + `}}`
	asChat := body(call{name: "echo", args: args})
	for _, way := range []struct{ name, url, body string }{
		{"direct", direct, asMCP}, {"bridge", over.url + "/v1/chat/completions", asChat},
	} {
		b.Run(way.name+"/one", func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				post(b, way.url, way.body)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "p99-µs")
		})
		b.Run(way.name+"/sixteen", func(b *testing.B) {
			b.ReportAllocs()
			var all sync.WaitGroup
			turns := make(chan struct{})
			for range 16 {
				all.Go(func() {
					for range turns {
						post(b, way.url, way.body)
					}
				})
			}
			for b.Loop() {
				turns <- struct{}{}
			}
			close(turns)
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
