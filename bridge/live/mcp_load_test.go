package live_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// A thousand calls are under way at once in one process; each gets its own answer, once
// all are there, and the memory that they take is given back to the next thousand.
func TestAThousandAtOnce(t *testing.T) {
	const many, rounds = 1000, 3
	type gathering struct {
		here atomic.Int64
		all  chan struct{}
	}
	var now atomic.Pointer[gathering]
	s := &script{tools: map[string]tool{"get_it": {reads, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		g := now.Load()
		if g.here.Add(1) == many {
			close(g.all)
		}
		<-g.all
		w.Write(wire.Result(m.ID, fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, wire.Path(m.Params, "arguments", "q"))))
	}}}}
	r := bridge(t, nil, "--mcp", s.serve(t), "--quiet")
	idle := resident(t, r)
	var heights []int
	for range rounds {
		g := &gathering{all: make(chan struct{})}
		now.Store(g)
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() {
				text := fmt.Sprint(i, strings.Repeat(".", 1024))
				if got := r.post(t, calls(call2("get_it", fmt.Sprintf(`{"q":%q}`, text)))); got.result(0) != fmt.Sprintf(`{"result":%q}`, text) {
					t.Errorf("%d %.300s", got.status, got.body)
				}
			})
		}
		<-g.all
		if !bytes.Contains(r.get(t, "/metrics").body, []byte("\npeerwright_bridge_server_calls_in_flight{server=\"mcp\"} ")) {
			t.Error("the calls under way are not counted")
		}
		heights = append(heights, resident(t, r))
		all.Wait()
		http.DefaultClient.CloseIdleConnections()
	}
	t.Logf("%d MiB resident while idle, %v MiB with %d calls of 1 KiB under way", idle, heights, many)
	if last := heights[rounds-1]; last > 246 { // what agno-relay takes
		t.Errorf("%d MiB", last)
	}
	if code := r.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit %d: %s", code, r.errs)
	}
}

// resident returns the memory of the process in MiB, 0 where the system does not tell.
func resident(t testing.TB, r *running) (mib int) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		return 0 // only Linux tells
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	if _, err := fmt.Sscan(rest, &mib); err != nil {
		t.Error(err)
	}
	return mib / 1024
}
