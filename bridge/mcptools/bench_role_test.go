package mcptools_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/heap"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/store/memory"
	"github.com/peerwright/peerwright/internal/wire"
)

// roleEnv makes the test binary a process of the benchmarks: "server", or the URL of the
// server that it is a bridge in front of. It lives until its stdin ends.
const roleEnv = "PEERWRIGHT_BENCH_ROLE"

// floor is how the command keeps its collector from working all the time.
const floor = 32 << 20

// profileEnv names a file that takes the CPU profile of the bridge.
const profileEnv = "PEERWRIGHT_BENCH_PROFILE"

// actRole is what such a process does.
func actRole(role string) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + ln.Addr().String())
	if role == "server" {
		return (&http.Server{Handler: http.HandlerFunc(serveLean), ReadHeaderTimeout: time.Minute}).Serve(ln)
	}
	defer heap.Floor(floor)()
	surface, err := newBenchBridge(role)
	if err != nil {
		return err
	}
	if name := os.Getenv(profileEnv); name != "" {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return surface.Serve(ctx, ln)
}

// newBenchBridge is a bridge as the command makes it, with its log and its metrics.
func newBenchBridge(server string) (*openai.Server, error) {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	u, err := upstream.New(upstream.Config{ID: "server", Target: dial.Target{URL: server}, Now: time.Now, Random: rand.Reader, Log: log})
	if err != nil {
		return nil, err
	}
	backend, err := mcptools.New(mcptools.Options{
		Upstreams: []*upstream.Upstream{u}, Keys: memory.New(time.Now), Seal: seal.New(make([]byte, 32)), Log: log,
	})
	if err != nil {
		return nil, err
	}
	return openai.New(openai.Options{Backends: []openai.Backend{backend}, Log: log, Metrics: prometheus.NewRegistry()})
}

// serveLean is an MCP server that does as little as one can: its tool gives its text
// back, after as many milliseconds as the arguments say.
func serveLean(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	id, params := wire.RawID(wire.Get(body, "id")), wire.Get(body, "params")
	method, _ := wire.Text(wire.Get(body, "method"))
	var result []byte
	switch method {
	case "server/discover":
		result = []byte(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"lean","version":"1"}}}`)
	case "tools/list":
		result = []byte(`{"tools":[{"name":"echo","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"text":{"type":"string"},"wait":{"type":"integer"}},"required":["text"]}}]}`)
	case "tools/call":
		if wait, err := strconv.Atoi(string(wire.Path(params, "arguments", "wait"))); err == nil {
			time.Sleep(time.Duration(wait) * time.Millisecond)
		}
		result = fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, wire.Path(params, "arguments", "text"))
	}
	answer := wire.Result(id, result)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer)
}

// process is a process that plays a role.
type process struct {
	url string
	pid int
}

// play starts one, which ends with the benchmark.
func play(b *testing.B, role string) process {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		if role == "server" {
			_ = cmd.Process.Kill()
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		if err != nil && (role != "server" || !errors.As(err, &exit)) {
			b.Error(err)
		}
	})
	return process{strings.TrimSpace(url), cmd.Process.Pid}
}

// memory returns the resident memory of the process at its highest, in MiB.
func (p process) memory(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0 // only Linux tells
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib float64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		b.Error(err)
	}
	return kib / 1024
}

// cpu returns the processor time that the process has used.
func (p process) cpu(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0 // only Linux tells
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var ticks int
	for _, at := range []int{11, 12} { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(fields[at])
		if err != nil {
			b.Error(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
