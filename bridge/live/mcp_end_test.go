package live_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// Calls that are under way when the bridge is asked to end get their answers, and it ends
// well, as soon as they have them.
func TestTheEnd(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			const many = 20
			var came atomic.Int64
			all, hold := make(chan struct{}), make(chan struct{})
			s := &script{tools: map[string]tool{"get_it": {reads, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
				if came.Add(1) == many {
					close(all)
				}
				<-hold
				w.Write(wire.Result(m.ID, []byte(`{"content":[{"type":"text","text":"late"}]}`)))
			}}}}
			r := bridge(t, nil, "--mcp", s.serve(t))
			answers := make(chan answer, many)
			for range many {
				go func() { answers <- r.post(t, calls(call2("get_it", ""))) }()
			}
			<-all
			if err := r.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			refused := func() bool {
				_, err := ask(http.MethodGet, r.url+"/healthz", "", "Connection", "close")
				return err != nil
			}
			for !refused() { // it takes no more
			}
			close(hold)
			for range many {
				if got := <-answers; got.status != 200 || got.result(0) != `{"result":"late"}` {
					t.Errorf("%d %s", got.status, got.body)
				}
			}
			<-r.ended
			if code := r.cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("exit %d: %s", code, r.errs)
			}
		})
	}
}

// What takes longer than the drain is cut short, and told so.
func TestTheEndIsBounded(t *testing.T) {
	came := make(chan struct{}, 1)
	s := &script{tools: map[string]tool{"move_it": {writes, func(_ http.ResponseWriter, r *http.Request, _ wire.Message) {
		came <- struct{}{}
		<-r.Context().Done()
	}}}}
	r := bridge(t, nil, "--config", configure(t, "  drain: 200ms\n", s.serve(t)))
	answered := make(chan answer, 1)
	go func() { answered <- r.post(t, calls(call2("move_it", ""))) }()
	<-came
	if code := r.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit %d: %s", code, r.errs)
	}
	if got := <-answered; got.status != 503 && got.status != 504 || got.text("error", "context", "outcome") != "unknown" || string(got.at("error", "retryable")) != "false" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// configure writes a peerwright.yaml with one server and these settings.
func configure(t testing.TB, settings, server string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "peerwright.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "bridge:\n%s  upstreams:\n    - {id: desk, mcp: '%s'}\n", settings, server), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A process that the bridge started ends with it, however it ends.
func TestNoChildIsLeft(t *testing.T) {
	for name, end := range map[string]func(r *running){
		"asked":  func(r *running) { r.stop(t, syscall.SIGTERM) },
		"killed": func(r *running) { r.kill(t) },
	} {
		t.Run(name, func(t *testing.T) {
			note := filepath.Join(t.TempDir(), "pid")
			r := bridge(t, []string{peerEnv + "=1"}, "--", "sh", "-c", `echo $$ >`+note+`; exec `+os.Args[0])
			if got := r.post(t, calls(call2("add", `{"a":1,"b":2}`))); got.result(0) != `{"result":{"sum":3}}` {
				t.Fatalf("%d %s", got.status, got.body)
			}
			pid, err := os.ReadFile(note)
			if err != nil {
				t.Fatal(err)
			}
			end(r)
			gone(t, strings.TrimSpace(string(pid)))
		})
	}
}

// gone waits until there is no process of that id.
func gone(t testing.TB, pid string) {
	t.Helper()
	var id int
	if _, err := fmt.Sscan(pid, &id); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); syscall.Kill(id, 0) == nil; <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the process %d is left", id)
		}
	}
}

// A server that cannot be had is said to be away, at the start and when it is needed, with
// the cause; nothing else suffers, and it is there as soon as it can be.
func TestServersThatAreAway(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"nobody listens":   {[]string{"--mcp", "http://127.0.0.1:1/mcp"}, "connection refused"},
		"no such program":  {[]string{"--", "peerwright-no-such-program"}, "peerwright-no-such-program"},
		"it dies at once":  {[]string{"--", "sh", "-c", "echo no luck >&2; exit 7"}, "exited with status 7 before it answered; last lines of its stderr: no luck"},
		"it is no server":  {[]string{"--", "echo", "hello"}, "peerwright: warning: mcp is not reachable now"},
		"it turns us away": {[]string{"--mcp", turnsAway(t)}, "401"},
	} {
		t.Run(name, func(t *testing.T) {
			r := bridge(t, nil, c.args...)
			if ready := r.get(t, "/readyz"); ready.status != 503 || ready.text("status") != "not ready" || ready.text("peers", "mcp") == "ready" {
				t.Errorf("%d %s", ready.status, ready.body)
			}
			got := r.post(t, calls(call2("get_it", "")))
			if got.status < 400 || got.text("error", "class") == "" || got.text("error", "context", "outcome") != "not_run" || got.text("error", "class") == "not_found" {
				t.Errorf("%d %s", got.status, got.body)
			}
			if code := r.stop(t, syscall.SIGTERM); code != 0 {
				t.Errorf("exit %d", code)
			}
			if !strings.HasPrefix(r.out.String(), "Bridge started, but nothing behind it can be reached: mcp\n") || !strings.Contains(r.out.String(), "(not reached yet)") || !strings.Contains(r.errs.String(), c.says) {
				t.Errorf("%s%s", r.out, r.errs)
			}
		})
	}
}

func turnsAway(t testing.TB) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(web.Close)
	return web.URL
}

// A server that comes later is found, without the bridge being started again.
func TestAServerThatComesLater(t *testing.T) {
	port := freePort(t)
	here := desk(new(atomic.Int64)).serve(t)
	r := bridge(t, nil, "--mcp", "here="+here, "--mcp", "late=http://127.0.0.1:"+port+"/mcp")
	if got := r.post(t, calls(call2("here__get_weather", ""))); got.result(0) != `{"result":"fine"}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	if !strings.HasPrefix(r.out.String(), "Bridge ready, but for what cannot be reached: late\n") {
		t.Errorf("%s", r.out)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	late := &http.Server{Handler: desk(new(atomic.Int64)), ReadHeaderTimeout: time.Minute}
	go func() { _ = late.Serve(ln) }() // it ends with the test
	defer late.Close()
	for end := time.Now().Add(30 * time.Second); ; <-time.After(50 * time.Millisecond) {
		got := r.post(t, calls(call2("late__get_weather", "")))
		if got.result(0) == `{"result":"fine"}` {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
}

// A server that never comes holds up nobody: the bridge serves while it waits, and ends
// when it is asked to.
func TestAServerThatHangsAtTheStart(t *testing.T) {
	hang := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	defer web.Close()
	defer close(hang) // first: the server waits for what it is asked
	port := freePort(t)
	cmd := program(t, nil, "bridge", "--mcp", web.URL, "--port", port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	for end := time.Now().Add(10 * time.Second); ; <-time.After(10 * time.Millisecond) {
		got, err := ask(http.MethodGet, "http://127.0.0.1:"+port+"/healthz", "")
		if err == nil && got.status == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%v %d", err, got.status)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
