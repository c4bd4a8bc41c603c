package live_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestExampleStack starts the bridge by the command of the example stack, with its
// configuration, and calls it by the name that it has there.
func TestExampleStack(t *testing.T) {
	folder := filepath.Join(root(t), "docs", "examples", "librechat")
	agents, own := newScripted(t), t.TempDir()
	config := read(t, filepath.Join(folder, "config", "agents.yml"))
	config = strings.NewReplacer("http://host.docker.internal:9000/", agents.URL+"/stream/", "/home/nonroot", own).Replace(config)
	if err := os.WriteFile(filepath.Join(own, "agents.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var stack struct {
		Services map[string]struct{ Command []string }
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(folder, "compose.yaml"))), &stack); err != nil {
		t.Fatal(err)
	}
	command := stack.Services["bridge"].Command
	if len(command) == 0 || command[0] != "bridge" {
		t.Fatalf("the command is %q", command)
	}
	for i, word := range command {
		command[i] = strings.NewReplacer("/config/", own+"/", ":3847", ":0").Replace(word)
	}
	b := bridge(t, []string{"BRIDGE_KEYS=" + seedKey}, command[1:]...)
	for _, c := range []struct {
		host, key string
		status    int
	}{{"bridge:3847", seedKey, 200}, {"localhost:3847", seedKey, 200}, {"bridge:3847", "wrong", 401}} {
		if got := models(t, b.url, c.host, c.key); got != c.status {
			t.Errorf("called as %s with key %s: %d, want %d", c.host, c.key, got, c.status)
		}
	}
	for _, want := range []string{"turn 1", "turn 2"} {
		got := mustChat(t, b.url, said("helper", "count", true), "Authorization", "Bearer "+seedKey, "X-Conversation-Id", "c", "X-Message-Id", "m")
		if got.text != want {
			t.Errorf("%s, want %s", got.raw, want)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// models asks for the models by the name of a host, and returns the status.
func models(t *testing.T, url, host, key string) int {
	t.Helper()
	url = strings.Replace(url, "[::]", "127.0.0.1", 1)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestCallersWithoutKeys holds that the log warns where anybody may have an id signed, and
// only there.
func TestCallersWithoutKeys(t *testing.T) {
	agents, file := newScripted(t), filepath.Join(t.TempDir(), "agents.yml")
	config := "agents:\n  - id: helper\n    card_url: " + agents.URL + "/stream/\n    caller: {id_header: X-Caller-Id, auth_header: X-Caller-Auth, secret_env: SEED_SECRET}\n"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, keys := range []bool{false, true} {
		args := []string{"--config", file}
		if keys {
			args = append(args, "--keys-env", "SEED_KEYS")
		}
		b := bridge(t, seedEnv(), args...)
		if warned := strings.Contains(b.errs.String(), "has any id signed"); warned == keys {
			t.Errorf("with keys %v: %s", keys, b.errs)
		}
	}
}
