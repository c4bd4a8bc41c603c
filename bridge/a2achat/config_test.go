package a2achat_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/config"
)

// load reads agents as the command does.
func load(t *testing.T, text string) ([]a2achat.AgentConfig, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "agents.yml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Agents []a2achat.AgentConfig `yaml:"agents"`
	}
	if err := config.Load(name, &file); err != nil {
		return nil, err
	}
	return file.Agents, a2achat.Validate(file.Agents)
}

func TestThreeLinesAreEnough(t *testing.T) {
	agents, err := load(t, "agents:\n  - id: myagent\n    card_url: https://agent.example.org/api/agent/\n")
	if err != nil || len(agents) != 1 || agents[0].ID != "myagent" {
		t.Errorf("%+v, %v", agents, err)
	}
}

func TestEveryOptionIsRead(t *testing.T) {
	agents, err := load(t, `
agents:
  - id: a
    card_url: https://agent.example.org/
    endpoint_url: https://agent.example.org/rpc
    conversation_id_header: X-Conv
    message_id_header: X-Msg
    caller: {id_header: X-Caller-Id, auth_header: X-Caller-Auth, secret_env: SECRET, digest_bytes: 16}
    static_headers: {X-Tenant: news, X-Number: 7}
    artifact_join: ""
    on_error: http_error
    stream_mode: blocking
    show_progress: false
    progress_prefix: "> "
    progress_suffix: ""
    timeout_s: 12.5
    static_headers_env: {Authorization: TOKEN}
    total_s: 60
    task_header: X-OpenWebUI-Task
    user_is_conversation: false
  - id: b
    card_url: https://agent.example.org/
    endpoint_url: null
    conversation_id_header:
    caller: ~
    artifact_join: ~
    timeout_s: null
`)
	if err != nil {
		t.Fatal(err)
	}
	a := agents[0]
	for i, v := 0, reflect.ValueOf(a); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s was not read", v.Type().Field(i).Name)
		}
	}
	if *a.ArtifactJoin != "" || *a.TimeoutS != 12.5 || *a.Caller.DigestBytes != 16 || a.StaticHeaders["X-Number"] != "7" {
		t.Errorf("%+v", a)
	}
	if b := agents[1]; b.Caller != nil || b.ArtifactJoin != nil || b.TimeoutS != nil {
		t.Errorf("%+v", b)
	}
}

func TestWrongConfigurationIsNamed(t *testing.T) {
	const card = "card_url: https://x.example\n    "
	for text, want := range map[string][]string{
		"[]":                                   {"agents", "at least one"},
		"\n  - card_url: https://x":            {"agents[0].id", "required"},
		"\n  - id: a":                          {"agents[a].card_url", "required"},
		"\n  - id: a\n    card_url: x.example": {"agents[a].card_url", "http://"},
		"\n  - id: a\n    " + card + "endpoint: x":                                 {"agents[a].endpoint", "unknown key", "endpoint_url"},
		"\n  - id: a\n    " + card + "on: x":                                       {"agents[a].on", "unknown key", "on_error"},
		"\n  - id: a\n    " + card + "on_error: shout":                             {"agents[a].on_error", "shout", "message, http_error"},
		"\n  - id: a\n    " + card + "stream_mode: fast":                           {"agents[a].stream_mode", "auto, blocking"},
		"\n  - id: a\n    " + card + "timeout_s: 0":                                {"agents[a].timeout_s", "above 0"},
		"\n  - id: a\n    " + card + "timeout_s: .nan":                             {"agents[a].timeout_s", "above 0"},
		"\n  - id: a\n    " + card + "timeout_s: soon":                             {"agents[a].timeout_s", "number"},
		"\n  - id: a\n    " + card + "show_progress: maybe":                        {"agents[a].show_progress", "true or false"},
		"\n  - id: a\n    " + card + "caller: []":                                  {"agents[a].caller", "mapping", "id_header"},
		"\n  - id: a\n    " + card + "caller: {id: X}":                             {"agents[a].caller.id", "unknown key", "secret_env"},
		"\n  - id: a\n    " + card + "caller: {id_header: X}":                      {"agents[a].caller.auth_header", "anybody could claim", "agents[a].caller.secret_env"},
		"\n  - id: a\n    " + card + "caller: {id_header: X Y}":                    {"caller.id_header", "no name of an HTTP header"},
		"\n  - id: a\n    " + card + "static_headers: {\"A B\": x}":                {"agents[a].static_headers", "A B"},
		"\n  - id: a\n    " + card + "static_headers: {A: \"x\\ny\"}":              {"agents[a].static_headers.A", "no value"},
		"\n  - id: a\n    " + card + "static_headers: [A]":                         {"agents[a].static_headers", "mapping"},
		"\n  - id: a\n    card_url: https://x\n  - id: a\n    card_url: https://x": {"agents[a].id", "another agent"},
		"\n  - nonsense": {"agents[0]", "mapping", "id, card_url"},
		"nonsense":       {"agents", "list"},
		"\n  - id: a\n    " + card + "caller: {id_header: A, auth_header: B, secret_env: C, digest_bytes: 33}":                     {"digest_bytes", "1 to 32"},
		"\n  - id: a\n    " + card + "caller: {id_header: A, auth_header: B, secret_env: C, digest_bytes: 8, timestamp_header: D}": {"digest_bytes", "never cut"},
		"\n  - id: a\n    " + card + "static_headers: {a: x}\n    static_headers_env: {A: X}":                                      {"static_headers_env.A", "once"},
	} {
		_, err := load(t, "agents: "+text+"\n")
		if err == nil {
			t.Errorf("%q was taken", text)
			continue
		}
		for _, word := range want {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q: %v: does not say %q", text, err, word)
			}
		}
	}
}

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	err := a2achat.Validate([]a2achat.AgentConfig{{ID: "a", OnError: "x", StreamMode: "y"}, {}})
	if n := strings.Count(err.Error(), "\n") + 1; n != 5 {
		t.Errorf("%d lines:\n%v", n, err)
	}
}

func TestWithoutItsSecretTheBridgeDoesNotStart(t *testing.T) {
	agents := []a2achat.AgentConfig{{
		ID: "a", CardURL: "https://x.example",
		Caller:           &a2achat.CallerConfig{IDHeader: "X-Id", AuthHeader: "X-Auth", SecretEnv: "MY_SECRET"},
		StaticHeadersEnv: map[string]string{"Authorization": "MY_TOKEN"},
	}}
	for name, env := range map[string]func(string) (string, bool){
		"unset": nil,
		"empty": func(string) (string, bool) { return "", true },
		"lines": func(string) (string, bool) { return "canary-1\ncanary-2", true },
	} {
		_, err := a2achat.New(a2achat.Options{Agents: agents, Env: env, Store: newStore(t)})
		if err == nil || !strings.Contains(err.Error(), "agents[a].caller.secret_env") || !strings.Contains(err.Error(), "MY_SECRET") || !strings.Contains(err.Error(), "MY_TOKEN") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the secret is told: %v", name, err)
		}
	}
}
