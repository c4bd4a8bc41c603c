package live_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// inFlight is how many turns go on at once in the benchmark.
const inFlight = 16

// quickAgent answers at once, in few words.
func quickAgent(t testing.TB) *httptest.Server {
	t.Helper()
	const artifact = `"artifactId":"a","name":"result","parts":[{"kind":"text","text":"An answer of a few words."}]`
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"name":"Quick","version":"1","description":"-","url":"%s/","protocolVersion":"0.3.0","capabilities":{"streaming":true},`+
			`"skills":[],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"]}`, s.URL)
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		id := wire.Get(raw, "id")
		if strings.Contains(string(wire.Get(raw, "method")), "stream") {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{%s}}}`+"\n\n"+
				`data: {"jsonrpc":"2.0","id":%s,"result":{"kind":"status-update","taskId":"t","contextId":"c","final":true,"status":{"state":"completed"}}}`+"\n\n", id, artifact, id)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"kind":"task","id":"t","contextId":"c","status":{"state":"completed"},"artifacts":[{%s}]}}`, id, artifact)
	})
	return s
}

// BenchmarkBridge measures turns a second and memory of this bridge and of a2a-bridge, in
// front of one agent, in one run. The load and the agent are in this process, and have
// their share of the machine, so the time of a processor for a turn is the better measure.
//
// Memory is not a third of that of a2a-bridge: of the 30 MiB of an idle bridge 28 are
// pages of the program itself, and under load the heap is let grow to 32 MiB before it is
// collected, see internal/heap.
func BenchmarkBridge(b *testing.B) {
	agent := quickAgent(b)
	file := filepath.Join(b.TempDir(), "agents.yml")
	config := fmt.Sprintf("agents:\n  - {id: stream, card_url: %q, conversation_id_header: X-Conversation-Id}\n"+
		"  - {id: block, card_url: %q, stream_mode: blocking, conversation_id_header: X-Conversation-Id}\n", agent.URL+"/", agent.URL+"/")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, who := range []struct {
		name  string
		start func(testing.TB) *running
	}{
		{"peerwright", func(t testing.TB) *running { return bridge(t, nil, "--config", file) }},
		{"a2a-bridge", func(t testing.TB) *running { return seed(t, file) }},
	} {
		b.Run(who.name, func(b *testing.B) {
			r := who.start(b)
			idle := r.memory(b, "VmRSS")
			for _, model := range []string{"block", "stream"} {
				b.Run(model, func(b *testing.B) {
					before := r.cpu(b)
					turns(b, r.url, marshalled(said(model, "hi", model == "stream")))
					b.ReportMetric(float64((r.cpu(b)-before).Microseconds())/float64(b.N), "cpu-µs/turn")
					b.ReportMetric(float64(idle)/(1<<20), "idle-MiB")
					b.ReportMetric(float64(r.memory(b, "VmHWM"))/(1<<20), "peak-MiB")
				})
			}
		})
	}
}

// cpu is how long the process has had a processor.
func (r *running) cpu(t testing.TB) time.Duration {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(r.cmd.Process.Pid), "stat"))
	if err != nil {
		t.Skipf("this system tells nothing of the time of a process: %v", err)
	}
	_, rest, _ := strings.Cut(string(raw), ") ") // after the name
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11]) // digits, by proc_pid_stat(5)
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // a tick is 10 ms on Linux
}

// turns makes turns of a few conversations, some at once.
func turns(b *testing.B, url, body string) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: inFlight}}
	defer client.CloseIdleConnections()
	b.SetParallelism(max(1, inFlight/runtime.GOMAXPROCS(0)))
	var workers atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		conversation := fmt.Sprint("bench ", workers.Add(1))
		for pb.Next() {
			req, _ := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body)) // the URL is one that answered
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-Conversation-Id", conversation)
			resp, err := client.Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			raw, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || !strings.Contains(string(raw), "An answer of a few words.") {
				b.Errorf("%v: %s", err, raw)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}
