package live_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden tables")

func marshalled(v any) string {
	raw, _ := json.Marshal(v) // what the tests make always marshals
	return string(raw)
}

// seedConfig is a configuration file of a2a-bridge, with each of its options. NAME is a
// free place for the address of the scripted agents.
const seedConfig = `store: memory://
api_keys_env: SEED_KEYS
agents:
  - id: stream
    card_url: NAME/stream/
    conversation_id_header: X-Conversation-Id
    message_id_header: X-Message-Id
    caller:
      id_header: X-Caller-Id
      auth_header: X-Caller-Auth
      secret_env: SEED_SECRET
      digest_bytes: 8
    static_headers: {X-Static: always}
    artifact_join: "\n\n"
    on_error: message
    stream_mode: auto
    show_progress: true
    progress_prefix: "_"
    progress_suffix: "_"
    timeout_s: 10
  - id: block
    card_url: NAME/block/.well-known/agent-card.json
    endpoint_url: NAME/block/
  - id: quiet
    card_url: NAME/stream/
    show_progress: false
  - id: held
    card_url: NAME/stream/
    stream_mode: blocking
    artifact_join: " | "
  - id: program
    card_url: NAME/block/
    on_error: http_error
  - id: gone
    card_url: http://127.0.0.1:1/
    endpoint_url: http://127.0.0.1:1/
`

const seedKey = "key-of-the-test"

func seedEnv() []string {
	return []string{"SEED_KEYS= , " + seedKey + ",another", "SEED_SECRET=secret-of-the-test"}
}

// seed starts a2a-bridge itself with a configuration file, or skips the test.
func seed(t testing.TB, file string, env ...string) *running {
	t.Helper()
	needLive(t)
	python := filepath.Join(root(t), ".tools", "seed", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		t.Skip("the Python package a2a-bridge is not there: run scripts/install-peers.sh")
	}
	port := freePort(t)
	r := &running{url: "http://127.0.0.1:" + port, out: &written{}, errs: &written{}, ended: make(chan struct{})}
	r.cmd = exec.Command(python, "-m", "a2a_bridge.server")
	r.cmd.Dir = t.TempDir()
	r.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.cmd.Dir, "PYTHONDONTWRITEBYTECODE=1",
		"A2A_BRIDGE_CONFIG=" + file, "A2A_BRIDGE_HOST=127.0.0.1", "A2A_BRIDGE_PORT=" + port,
	}, env...)
	r.cmd.Stdout, r.cmd.Stderr = r.out, r.errs
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait() // how it ended shows in what it wrote
		close(r.ended)
	}()
	t.Cleanup(func() { r.kill(t) })
	r.answers(t)
	return r
}

// answers waits until the process says that it is well.
func (r *running) answers(t testing.TB) {
	t.Helper()
	again, most := time.NewTicker(20*time.Millisecond), time.After(time.Minute)
	defer again.Stop()
	for {
		if resp, err := http.Get(r.url + "/healthz"); err == nil {
			_ = resp.Body.Close()
			return
		}
		select {
		case <-again.C:
		case <-r.ended:
			t.Fatalf("it ended with %v: %s%s", r.cmd.ProcessState, r.out, r.errs)
		case <-most:
			t.Fatalf("it does not answer: %s%s", r.out, r.errs)
		}
	}
}

// pair starts a2a-bridge and ours with one and the same file.
func pair(t *testing.T) (theirs, ours *running, agents *scripted) {
	t.Helper()
	agents = newScripted(t)
	file := filepath.Join(t.TempDir(), "agents.yml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(seedConfig, "NAME", agents.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs = seed(t, file, seedEnv()...)
	return theirs, bridge(t, seedEnv(), "--config", file), agents
}

// table is a golden table of what differs.
type table struct{ rows []row }

type row struct {
	what              []string
	theirs, ours, why string
}

// line adds a difference, to the row of the one before where that is the same.
func (g *table) line(what, theirs, ours, why string) {
	if n := len(g.rows) - 1; n >= 0 && g.rows[n].theirs == theirs && g.rows[n].ours == ours && g.rows[n].why == why {
		g.rows[n].what = append(g.rows[n].what, what)
		return
	}
	g.rows = append(g.rows, row{[]string{what}, theirs, ours, why})
}

func (g *table) String() string {
	var b strings.Builder
	for _, r := range g.rows {
		_, _ = fmt.Fprintf(&b, "%s: %s\n  a2a-bridge %q\n  ours       %q\n", strings.Join(r.what, "; "), r.why, r.theirs, r.ours)
	}
	return b.String()
}

// minted is what is new in each answer, as the table quotes it.
var minted = regexp.MustCompile(`chatcmpl-[0-9a-f]+|created\\":\d+`)

// compare holds the table beside the golden file.
func (g *table) compare(t *testing.T, file string, fixed ...string) {
	t.Helper()
	got, path := strings.NewReplacer(fixed...).Replace(g.String()), filepath.Join("testdata", file)
	got = minted.ReplaceAllString(got, "MINTED")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("the differences are others than in %s (-want +got):\n%s", path, diff)
	}
}
