package bridge_test

import (
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/bridge/a2achat"
)

func guide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/bridge.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The reference names every key of the file, and none that is not there.
func TestEveryKeyIsDocumented(t *testing.T) {
	text := guide(t)
	for section, of := range map[string]any{
		"bridge": bridge.Config{}, "upstreams": bridge.UpstreamConfig{}, "llm": bridge.LLMConfig{}, "agents": a2achat.AgentConfig{}, "caller": a2achat.CallerConfig{},
	} {
		want := []string{}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			want = append(want, field.Tag.Get("yaml"))
		}
		got := documented(text, section)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: documented are %q, there are %q", section, got, want)
		}
	}
}

// documented lists the keys in the first column of the table of a section.
func documented(text, section string) []string {
	_, rest, _ := strings.Cut(text, "\n### "+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n#")
	var keys []string
	for line := range strings.Lines(rest) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, key := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[1], -1) {
				keys = append(keys, key[1])
			}
		}
	}
	return keys
}

// The files that are shown can be used.
func TestDocumentedFilesAreRight(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(guide(t), -1)
	if len(blocks) != 1 {
		t.Fatalf("%d files", len(blocks))
	}
	for _, block := range blocks {
		config, seed, err := load(t, block[1])
		if err != nil || seed {
			t.Fatal(seed, err)
		}
		config.Store, config.Listen = "", "127.0.0.1:0"
		if _, err := open(t, config, env(map[string]string{"BRIDGE_KEYS": "k", "REPOS_TOKEN": "t"})); err != nil {
			t.Error(err)
		}
	}
}

// The metrics that are named are there.
func TestDocumentedMetricsAreThere(t *testing.T) {
	b, err := open(t, bridge.Config{Upstreams: []bridge.UpstreamConfig{server("x", nowhere)}}, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, b)
	get(t, base+"/healthz")
	if status, body := post(t, base+"/v1/chat/completions", `{"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}]}]}`); status != 503 {
		t.Errorf("%d %s", status, body)
	}
	_, page := get(t, base+"/metrics")
	_, text, _ := strings.Cut(guide(t), "| metric | counts |")
	text, _, _ = strings.Cut(text, "\n\n")
	named := 0
	for _, found := range regexp.MustCompile("`(?:peerwright_bridge)?(_[a-z_]+)").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(page, "# TYPE peerwright_bridge"+found[1]+" ") {
			t.Errorf("there is no metric peerwright_bridge%s", found[1])
		}
		named++
	}
	if named < 10 {
		t.Errorf("%d metrics are named", named)
	}
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
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
