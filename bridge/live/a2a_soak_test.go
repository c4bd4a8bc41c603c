package live_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// soakEnv names how long the streams of TestSoak last; without it they are short.
const soakEnv = "PEERWRIGHT_SOAK"

const (
	soakStreams = 1000
	soakStep    = 500 * time.Millisecond // between two pieces of an answer
)

// slowAgent answers with a piece at each step, for a time.
func slowAgent(t *testing.T, steps int) *httptest.Server {
	t.Helper()
	var contexts atomic.Int64
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"name":"Slow","version":"1","description":"-","url":"%s/","protocolVersion":"0.3.0","capabilities":{"streaming":true},`+
			`"skills":[],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"]}`, s.URL)
	})
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		h := heard{id: wire.Get(raw, "id"), context: fmt.Sprintf("context-%d", contexts.Add(1))}
		tick := time.NewTicker(soakStep)
		defer tick.Stop()
		for n := range steps {
			h.events(w, h.artifact(artifact("a", fmt.Sprintf("%d ", n)), object{"append": n > 0}))
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
		h.events(w, h.status(state("completed")))
	})
	return s
}

// sample is what the process of the bridge takes at a moment.
type sample struct{ rss, goroutines int }

func (s sample) String() string {
	return fmt.Sprintf("%.1f MiB, %d goroutines", float64(s.rss)/(1<<20), s.goroutines)
}

func (r *running) sample(t testing.TB) sample {
	t.Helper()
	s := sample{rss: r.memory(t, "VmRSS")}
	for line := range strings.SplitSeq(string(r.get(t, "/metrics").body), "\n") {
		if n, ok := strings.CutPrefix(line, "go_goroutines "); ok {
			s.goroutines, _ = strconv.Atoi(n)
		}
	}
	if s.goroutines == 0 {
		t.Fatal("the metrics tell no goroutines")
	}
	return s
}

// memory reads a line of the kernel's account of the process, in bytes.
func (r *running) memory(t testing.TB, name string) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(r.cmd.Process.Pid), "status"))
	if err != nil {
		t.Skipf("this system tells nothing of the memory of a process: %v", err)
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name+":" {
			kib, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatalf("no %s in %s", name, raw)
	return 0
}

// TestSoak has a thousand streams go on at once: each is whole at its end, and while they
// go on the bridge takes no more memory and no more goroutines. It takes a few seconds,
// and what PEERWRIGHT_SOAK says where that is set, as in make soak.
func TestSoak(t *testing.T) {
	length := 5 * time.Second
	if text := os.Getenv(soakEnv); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < 3*soakStreams {
		t.Skipf("%d streams take more open files than the %d that are allowed here (ulimit -n)", soakStreams, files.Cur)
	}
	steps := int(length / soakStep)
	b := bridge(t, nil, "--quiet", "--a2a", "slow="+slowAgent(t, steps).URL)
	idle := b.sample(t)
	samples := soak(t, b, steps)
	if len(samples) < 4 {
		t.Fatalf("all the streams went on at once for %d samples only", len(samples))
	}
	first, last := samples[:len(samples)/4+1], samples[len(samples)-len(samples)/4-1:]
	t.Logf("%d streams of %s: idle %s; at first %s; at last %s; %d samples", soakStreams, length, idle, most(first), most(last), len(samples))
	// Between two collections the heap may double; what grows beyond that is lost.
	if most(last).rss > most(first).rss*3/2 || most(last).goroutines > most(first).goroutines+50 {
		t.Errorf("it grew from %s to %s", most(first), most(last))
	}
	http.DefaultClient.CloseIdleConnections()
	settled := b.sample(t)
	for range 100 {
		if settled = b.sample(t); settled.goroutines < idle.goroutines+100 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Logf("afterwards %s", settled)
	if settled.goroutines >= idle.goroutines+100 {
		t.Errorf("goroutines stay: %s, and %s before", settled, idle)
	}
}

// most is the most of each.
func most(samples []sample) sample {
	return sample{
		slices.MaxFunc(samples, func(a, b sample) int { return a.rss - b.rss }).rss,
		slices.MaxFunc(samples, func(a, b sample) int { return a.goroutines - b.goroutines }).goroutines,
	}
}

// soak makes the streams, and returns samples of the time in which all go on.
func soak(t *testing.T, b *running, steps int) []sample {
	t.Helper()
	var want strings.Builder
	for n := range steps {
		_, _ = fmt.Fprintf(&want, "%d ", n)
	}
	var begun, ended atomic.Int64
	var all sync.WaitGroup
	for n := range soakStreams {
		all.Go(func() {
			defer ended.Add(1)
			text, err := stream(t, b.url, fmt.Sprintf("soak %d", n), &begun)
			if err != nil || text != want.String() {
				t.Errorf("stream %d: %v, %q", n, err, text)
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	var samples []sample
	tick := time.NewTicker(soakStep / 2)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return samples
		case <-tick.C:
		}
		if s := b.sample(t); begun.Load() == soakStreams && ended.Load() == 0 {
			samples = append(samples, s)
		}
	}
}

// stream reads a stream to its end, and counts once it has begun to speak.
func stream(t *testing.T, url, conversation string, begun *atomic.Int64) (string, error) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(marshalled(said("slow", "go", true))))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Conversation-Id", conversation)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	begun.Add(1) // the head of a stream comes with its first piece
	raw, err := io.ReadAll(resp.Body)
	c := chatted{raw: string(raw), sse: true}
	c.read()
	if err == nil && (!c.done || c.finish != "stop") {
		err = fmt.Errorf("it ended with %.300s", c.raw[max(0, len(c.raw)-300):])
	}
	return c.text, err
}
