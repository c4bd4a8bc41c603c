package a2achat_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/config"
)

// page is a configuration as the documentation shows it.
type page struct {
	APIKeysEnv string                `yaml:"api_keys_env"`
	Store      string                `yaml:"store"`
	Agents     []a2achat.AgentConfig `yaml:"agents"`
}

// TestDocumentedConfigurationsAreRight reads what the documentation says of agents as
// the bridge does, and holds that nothing is shown that is not there.
func TestDocumentedConfigurationsAreRight(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	read := 0
	for _, name := range []string{"librechat.md", "open-webui.md", "examples/librechat/config/agents.yml"} {
		text, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		all := [][]string{{"", string(text)}}
		if strings.HasSuffix(name, ".md") {
			all = blocks.FindAllStringSubmatch(string(text), -1)
		}
		for _, block := range all {
			if strings.HasPrefix(block[1], "    caller:") {
				block[1] = "agents:\n  - id: helper\n    card_url: https://agent.example.org/\n" + block[1]
			}
			if !strings.Contains(block[1], "agents:\n") {
				continue
			}
			file := t.TempDir() + "/agents.yml"
			if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			var p page
			if err := config.Load(file, &p); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if err := a2achat.Validate(p.Agents); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			read++
		}
	}
	if read != 4 {
		t.Errorf("%d configurations were found", read)
	}
}

// TestExampleStackIsClosed holds that the example stack listens on loopback only, and
// that no secret stands in it.
func TestExampleStackIsClosed(t *testing.T) {
	text, err := os.ReadFile("../../docs/examples/librechat/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var stack struct {
		Services map[string]struct {
			Ports       []string          `yaml:"ports"`
			Environment map[string]string `yaml:"environment"`
			Volumes     []string          `yaml:"volumes"`
		} `yaml:"services"`
	}
	if err := yaml.Unmarshal(text, &stack); err != nil {
		t.Fatal(err)
	}
	if len(stack.Services) != 3 {
		t.Errorf("%d services", len(stack.Services))
	}
	secret := regexp.MustCompile(`KEY|SECRET|PASSWORD|CREDS|URI`)
	for name, s := range stack.Services {
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s publishes %s", name, port)
			}
		}
		for _, v := range s.Volumes {
			if strings.HasPrefix(v, ".:") {
				t.Errorf("%s sees the folder with the secrets", name)
			}
		}
		for variable, value := range s.Environment {
			if secret.MatchString(variable) && !strings.Contains(value, "${") {
				t.Errorf("%s: %s stands in the file", name, variable)
			}
		}
	}
	var chat struct {
		Endpoints struct {
			Custom []struct {
				APIKey string `yaml:"apiKey"`
				Models struct{ Default []string }
			}
		}
	}
	text, err = os.ReadFile("../../docs/examples/librechat/config/librechat.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &chat); err != nil {
		t.Fatal(err)
	}
	if c := chat.Endpoints.Custom[0]; c.APIKey != "${BRIDGE_KEY}" || c.Models.Default[0] != "helper" {
		t.Errorf("%+v", c)
	}
}
