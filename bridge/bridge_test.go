package bridge_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/conformance/peers/gopeers"
	"github.com/peerwright/peerwright/internal/config"
	"github.com/peerwright/peerwright/internal/redact"
)

// env is an environment with these variables.
func env(variables map[string]string) bridge.Env {
	return bridge.Env{
		Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
		Now:    time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Redact: redact.New([]byte("key")), Version: "1",
	}
}

func open(t *testing.T, c bridge.Config, e bridge.Env) (*bridge.Bridge, error) {
	t.Helper()
	b, err := bridge.Open(t.Context(), c, e)
	if err == nil {
		t.Cleanup(func() {
			if err := b.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	return b, err
}

func server(id, url string) bridge.UpstreamConfig { return bridge.UpstreamConfig{ID: id, MCP: url} }

const nowhere = "http://127.0.0.1:1/mcp"

// Only this machine is served without keys, unless it is said to be meant.
func TestExposure(t *testing.T) {
	for name, c := range map[string]struct {
		config bridge.Config
		env    map[string]string
		want   string // in the error; "" for none
	}{
		"the usual address":       {bridge.Config{}, nil, ""},
		"loopback":                {bridge.Config{Listen: "127.0.0.2:0"}, nil, ""},
		"loopback of IPv6":        {bridge.Config{Listen: "[::1]:0"}, nil, ""},
		"localhost":               {bridge.Config{Listen: "localhost:0"}, nil, ""},
		"everywhere":              {bridge.Config{Listen: "0.0.0.0:0"}, nil, "without keys"},
		"everywhere, by no host":  {bridge.Config{Listen: ":0"}, nil, "without keys"},
		"everywhere of IPv6":      {bridge.Config{Listen: "[::]:0"}, nil, "without keys"},
		"a name":                  {bridge.Config{Listen: "localhost.example:0"}, nil, "without keys"},
		"everywhere, and meant":   {bridge.Config{Listen: ":0", Open: true}, nil, ""},
		"everywhere, with keys":   {bridge.Config{Listen: ":0", APIKeysEnv: "KEYS"}, map[string]string{"KEYS": "a,b"}, ""},
		"everywhere, no keys set": {bridge.Config{Listen: ":0", APIKeysEnv: "KEYS"}, nil, "KEYS is not set"},
		"keys, and open":          {bridge.Config{Listen: ":0", APIKeys: []string{"a"}, Open: true}, nil, "take one away"},
	} {
		t.Run(name, func(t *testing.T) {
			c.config.Upstreams = []bridge.UpstreamConfig{server("x", nowhere)}
			_, err := open(t, c.config, env(c.env))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestCredentials holds what a server gets of the environment.
func TestCredentials(t *testing.T) {
	all := map[string]string{"GITHUB_TOKEN": " ghp_x ", "OWN": "own", "BASIC": "Basic eA==", "BLANK": " "}
	for name, c := range map[string]struct {
		server bridge.UpstreamConfig
		want   string // the Authorization
		err    string
	}{
		"the usual token":      {bridge.UpstreamConfig{}, "Bearer ghp_x", ""},
		"a token of its own":   {bridge.UpstreamConfig{AuthEnv: "OWN"}, "Bearer own", ""},
		"a scheme of its own":  {bridge.UpstreamConfig{AuthEnv: "BASIC"}, "Basic eA==", ""},
		"a header of its own":  {bridge.UpstreamConfig{HeadersEnv: map[string]string{"authorization": "BASIC"}}, "Basic eA==", ""},
		"a header in the file": {bridge.UpstreamConfig{Headers: map[string]string{"Authorization": "Bearer f"}}, "Bearer f", ""},
		"a token that is none": {bridge.UpstreamConfig{AuthEnv: "BLANK"}, "", "upstreams[x]: auth_env: the environment variable BLANK is not set"},
		"a header not set":     {bridge.UpstreamConfig{HeadersEnv: map[string]string{"A": "UNSET"}}, "", "upstreams[x]: header A: the environment variable UNSET is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			inner := gopeers.MCP(true)
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r.Header.Get("Authorization")
				inner.ServeHTTP(w, r)
			}))
			defer web.Close()
			c.server.ID, c.server.MCP = "x", web.URL
			b, err := open(t, bridge.Config{Upstreams: []bridge.UpstreamConfig{c.server}}, env(all))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if away := b.Start(t.Context()); len(away) != 0 || got != c.want {
				t.Errorf("%q, want %q; %v", got, c.want, away)
			}
		})
	}
}

// The usual token goes to no one where there are several servers: it is nobody's in
// particular.
func TestTheUsualTokenIsForOneServer(t *testing.T) {
	seen := make(chan string, 20)
	inner := gopeers.MCP(true)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Authorization")
		inner.ServeHTTP(w, r)
	}))
	defer web.Close()
	b, err := open(t, bridge.Config{Upstreams: []bridge.UpstreamConfig{server("a", web.URL), server("b", web.URL)}}, env(map[string]string{"GITHUB_TOKEN": "ghp_x"}))
	if err != nil {
		t.Fatal(err)
	}
	b.Start(t.Context())
	close(seen)
	for got := range seen {
		if got != "" {
			t.Errorf("a server got %q", got)
		}
	}
}

// whole is a peerwright.yaml of which only the section bridge is looked at.
type whole struct {
	Bridge bridge.Config `yaml:"bridge"`
}

func load(t *testing.T, text string) (bridge.Config, bool, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var w whole
	seed, err := bridge.Load(name, &w, &w.Bridge)
	return w.Bridge, seed, err
}

// A file is read as a section, or as one of a2a-bridge with the keys at its top.
func TestLoad(t *testing.T) {
	want := bridge.Config{
		APIKeys: []string{"a", "b"}, Timeout: 5 * time.Second,
		Agents: []a2achat.AgentConfig{{ID: "helper", CardURL: "http://127.0.0.1:1/"}},
	}
	const keys = "api_keys: ' a,, b '\ntimeout: 5s\nagents:\n  - {id: helper, card_url: 'http://127.0.0.1:1/'}\n"
	got, seed, err := load(t, keys)
	if err != nil || !seed || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v %v", got, seed, err)
	}
	got, seed, err = load(t, "bridge:\n  "+strings.ReplaceAll(strings.TrimSpace(keys), "\n", "\n  "))
	if err != nil || seed || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v %v", got, seed, err)
	}
	for text, line := range map[string]string{
		"agents:\n  - {id: x, card: y}\n":   "file.yaml:2: agents[x].card: unknown key",
		"bridge:\n  api_keys: {a: b}\n":     "file.yaml:2: bridge.api_keys",
		"bridge:\n  llm: {tokens: many}\n":  "file.yaml:2: bridge.llm.tokens",
		"bridge:\n  store: x\n  store: y\n": "file.yaml:3: bridge.store: the key stands twice",
	} {
		if _, _, err := load(t, text); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%v, want %s", err, line)
		}
	}
	if _, err := bridge.Load("absent.yaml", &whole{}, &bridge.Config{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, _, err := load(t, "agents: 5\n"); err == nil {
		t.Error("a number is taken for a list")
	} else if e, ok := errors.AsType[*config.Error](err); !ok || e.Line != 1 {
		t.Error(err)
	}
}

// TestStatus holds what the bridge tells of itself, with one server there and one away.
func TestStatus(t *testing.T) {
	web := httptest.NewServer(gopeers.MCP(true))
	defer web.Close()
	b, err := open(t, bridge.Config{Upstreams: []bridge.UpstreamConfig{server("here", web.URL), server("away", nowhere)}}, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	if away := b.Start(t.Context()); len(away) != 1 || away["away"] == nil {
		t.Errorf("%v", away)
	}
	caps := b.Capabilities()
	if !caps.Streaming || caps.Idempotency.Store != "memory" || len(caps.Upstreams) != 2 || caps.Upstreams[0].Server.Name != "go-mcp-peer" || caps.Upstreams[1].Server.Name != "" {
		t.Errorf("%+v", caps)
	}
	base := serve(t, b)
	if status, body := get(t, base+"/readyz"); status != 503 || !strings.Contains(body, `"here":"ready"`) || !strings.Contains(body, "connection refused") {
		t.Errorf("%d %s", status, body)
	}
	_, body := get(t, base+"/metrics")
	for _, want := range []string{
		`peerwright_bridge_server_phase{phase="ready",server="here"} 1`, `peerwright_bridge_server_phase{phase="failed",server="away"} 1`,
		`peerwright_bridge_server_starts_total{server="here"} 1`, `peerwright_bridge_server_calls_in_flight{server="here"} 0`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
}

// serve serves the bridge until the test ends.
func serve(t *testing.T, b *bridge.Bridge) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String()
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}
