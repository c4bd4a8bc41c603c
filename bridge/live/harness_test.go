package live_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/gopeers"
	"github.com/peerwright/peerwright/internal/wire"
)

// programEnv names the program for the tests; TestMain sets it to one that it builds.
const programEnv = "PEERWRIGHT_TEST_PROGRAM"

// peerEnv makes the test binary an MCP server over stdio.
const peerEnv = "PEERWRIGHT_TEST_PEER"

func TestMain(m *testing.M) {
	if os.Getenv(peerEnv) != "" {
		if err := gopeers.MCPStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	dir, err := os.MkdirTemp("", "peerwright-live-")
	if err == nil {
		err = build(filepath.Join(dir, "peerwright"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func build(program string) error {
	cmd := exec.Command("go", "build", "-o", program, "../../cmd/peerwright")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return os.Setenv(programEnv, program)
}

// root is the folder of the checkout.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// needLive skips a test that needs programs of others.
func needLive(t testing.TB) {
	t.Helper()
	if os.Getenv("PEERWRIGHT_LIVE") == "" {
		t.Skip("programs of others are started only with PEERWRIGHT_LIVE=1")
	}
}

// written is what a process writes, to be read while it writes.
type written struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// running is the program while it runs.
type running struct {
	url       string // of the endpoint, without /v1
	cmd       *exec.Cmd
	out, errs *written
	ended     chan struct{} // closed once it has ended
}

// program prepares `peerwright args…` in a folder and an environment of its own, in which
// nothing of the user's can be found; env is added to that.
func program(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Getenv(programEnv), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "TMPDIR=" + os.TempDir()}, env...)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// bridge starts `peerwright bridge args…` and waits until it listens. It is ended with the
// test, unless that ended it before.
func bridge(t testing.TB, env []string, args ...string) *running {
	t.Helper()
	if !strings.Contains(strings.Join(args, " "), "--listen") && !strings.Contains(strings.Join(args, " "), "--port") {
		args = append([]string{"--listen", "127.0.0.1:0"}, args...)
	}
	r := launch(t, program(t, env, append([]string{"bridge"}, args...)...))
	t.Cleanup(func() { r.kill(t) })
	return r
}

// launch starts a prepared bridge, and waits until it says where it listens.
func launch(t testing.TB, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd, out: &written{}, errs: &written{}, ended: make(chan struct{})}
	said := make(chan string, 1)
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = io.MultiWriter(r.out, writer), r.errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			if at, ok := strings.CutPrefix(lines.Text(), "Endpoint: "); ok {
				said <- strings.TrimSuffix(at, "/v1/chat/completions")
				break
			}
		}
		_, _ = io.Copy(io.Discard, reader)
	}()
	go func() {
		_ = cmd.Wait() // how it ended is in ProcessState
		_ = writer.Close()
		close(r.ended)
	}()
	select {
	case r.url = <-said:
	case <-r.ended:
		t.Fatalf("the bridge ended with %v: %s%s", cmd.ProcessState, r.out, r.errs)
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatalf("the bridge never said where it listens: %s%s", r.out, r.errs)
	}
	return r
}

// stop asks the bridge to end, and returns its exit code.
func (r *running) stop(t testing.TB, with syscall.Signal) int {
	t.Helper()
	if err := r.cmd.Process.Signal(with); err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.ended:
	case <-time.After(time.Minute):
		t.Errorf("the bridge does not end: %s", r.errs)
		r.kill(t)
	}
	return r.cmd.ProcessState.ExitCode()
}

// kill ends the bridge without a word.
func (r *running) kill(t testing.TB) {
	t.Helper()
	_ = r.cmd.Process.Kill() // it may have ended before
	<-r.ended
}

// answer is what the bridge says.
type answer struct {
	status int
	head   http.Header
	body   []byte
}

// at walks into the body: at("choices", "0", "message").
func (a answer) at(path ...string) json.RawMessage {
	value := json.RawMessage(a.body)
	for _, name := range path {
		var list []json.RawMessage
		if n, err := strconv.Atoi(name); err == nil && json.Unmarshal(value, &list) == nil && n < len(list) {
			value = list[n]
			continue
		}
		value = wire.Get(value, name)
	}
	return value
}

func (a answer) text(path ...string) string {
	s, _ := wire.Text(a.at(path...))
	return s
}

// result returns the n-th result, as the JSON that it is.
func (a answer) result(n int) string {
	return a.text("choices", "0", "message", "tool_calls", fmt.Sprint(n), "function", "arguments")
}

// ask sends a request; head is pairs of names and values.
func ask(method, url, body string, head ...string) (answer, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, bytes.TrimSpace(raw)}, err
}

func (r *running) post(t testing.TB, body string, head ...string) answer {
	t.Helper()
	got, err := ask(http.MethodPost, r.url+"/v1/chat/completions", body, head...)
	if err != nil {
		t.Error(err)
	}
	return got
}

func (r *running) get(t testing.TB, path string, head ...string) answer {
	t.Helper()
	got, err := ask(http.MethodGet, r.url+path, "", head...)
	if err != nil {
		t.Error(err)
	}
	return got
}

// freePort finds a port that nothing listens on at present.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// node runs a script with its arguments to the end of the test: what is written to it, and
// the lines that it writes.
func node(t *testing.T, script string, args ...string) (io.Writer, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command("node", append([]string{"--preserve-symlinks", "--preserve-symlinks-main", script}, args...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the client: %v", err)
		}
	})
	return in, bufio.NewReader(out)
}
