package mcpschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// published is the JSON Schema document that the specification publishes for one
// revision.
type published struct {
	revision string
	defs     map[string]any
	at       string // the pointer to defs
	compiler *jsonschema.Compiler
}

// specification finds the published schemas in the folder that PEERWRIGHT_SPEC names.
func specification(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PEERWRIGHT_SPEC")
	if dir == "" {
		t.Skip("PEERWRIGHT_SPEC names no folder of published schemas: ours are not compared with them")
	}
	return filepath.Join(dir, "mcp")
}

func publish(t *testing.T, revision string) *published {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(specification(t), revision, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	p := &published{revision: revision, at: "$defs", compiler: jsonschema.NewCompiler()}
	if _, legacy := doc["definitions"]; legacy {
		p.at = "definitions"
	}
	p.defs, _ = doc[p.at].(map[string]any)
	p.compiler.AssertFormat = true
	for theirs, ours := range map[string]string{"byte": "base64", "uri": "uri", "uri-template": "uri-template"} {
		p.compiler.Formats[theirs] = func(v any) bool {
			text, ok := v.(string)
			return !ok || checks[ours].ok(text)
		}
	}
	if err := p.compiler.AddResource("spec:"+revision, bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	return p
}

// accepts tells whether the definition of that name does.
func (p *published) accepts(t *testing.T, def string, value any) bool {
	t.Helper()
	s, err := p.compiler.Compile("spec:" + p.revision + "#/" + p.at + "/" + def)
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value) == nil
}

// counterpart is what the published schemas say of one of our entries: a value is
// good when it is, in its envelope, by one of the definitions.
type counterpart struct {
	defs     []string
	member   string // the member of the definition that ours is about; "" is the whole
	envelope map[string]any
}

// counterparts lists them by table and name.
func counterparts(revision string) map[string]map[string]counterpart {
	all := map[string]map[string]counterpart{results: {}, notifications: {}, faults: {}}
	for method, defs := range map[string][]string{
		"initialize": {"InitializeResult"}, "server/discover": {"DiscoverResult"}, "ping": {"Result"},
		"tools/list": {"ListToolsResult"}, "tools/call": callDefs(revision),
		"resources/list": {"ListResourcesResult"}, "resources/templates/list": {"ListResourceTemplatesResult"},
		"resources/read": inputDefs(revision, "ReadResourceResult"), "resources/subscribe": {"Result"}, "resources/unsubscribe": {"Result"},
		"prompts/list": {"ListPromptsResult"}, "prompts/get": inputDefs(revision, "GetPromptResult"),
		"completion/complete": {"CompleteResult"}, "logging/setLevel": {"Result"}, "subscriptions/listen": {"SubscriptionsListenResult"},
		"tasks/get": {"GetTaskResult"}, "tasks/result": {"GetTaskPayloadResult"}, "tasks/list": {"ListTasksResult"}, "tasks/cancel": {"CancelTaskResult"},
	} {
		all[results][method] = counterpart{defs: defs}
	}
	for method, def := range map[string]string{
		"progress": "Progress", "message": "LoggingMessage", "cancelled": "Cancelled", "tools/list_changed": "ToolListChanged",
		"prompts/list_changed": "PromptListChanged", "resources/list_changed": "ResourceListChanged", "resources/updated": "ResourceUpdated",
		"tasks/status": "TaskStatus", "elicitation/complete": "ElicitationComplete", "subscriptions/acknowledged": "SubscriptionsAcknowledged",
	} {
		method = "notifications/" + method
		all[notifications][method] = counterpart{[]string{def + "Notification"}, "params", map[string]any{"jsonrpc": "2.0", "method": method}}
	}
	for code, def := range map[string]string{
		"-32022": "UnsupportedProtocolVersionError", "-32021": "MissingRequiredClientCapabilityError", "-32042": "URLElicitationRequiredError",
	} {
		all[faults][code] = counterpart{[]string{def}, "error", map[string]any{"jsonrpc": "2.0", "id": "1"}}
	}
	return all
}

func callDefs(revision string) []string {
	if revision == rev2511 {
		return []string{"CallToolResult", "CreateTaskResult"}
	}
	return inputDefs(revision, "CallToolResult")
}

func inputDefs(revision, def string) []string {
	if revision == rev2607 {
		return []string{def, "InputRequiredResult"}
	}
	return []string{def}
}

// good tells whether the published schemas let a value of ours pass.
func (p *published) good(t *testing.T, c counterpart, value any) bool {
	t.Helper()
	if c.member != "" {
		whole := map[string]any{c.member: value}
		for name, member := range c.envelope {
			whole[name] = member
		}
		value = whole
	}
	defs := c.defs
	if p.revision == rev2607 && len(defs) > 1 { // InputRequiredResult lets any result pass
		asks := false
		if result, ok := value.(map[string]any); ok {
			asks = result["resultType"] == "input_required"
		}
		if defs = c.defs[:1]; asks {
			defs = c.defs[1:]
		}
	}
	return slices.ContainsFunc(defs, func(def string) bool { return p.accepts(t, def, value) })
}

// staleExample has no cache hints, which the definition and the page on caching want of
// it: the envelope lets it pass as an InputRequiredResult.
const staleExample = "/ReadResourceResultResponse/read-resource-result-response.json"

// Every example that the specification gives of what we have a schema for is good.
func TestPublishedExamples(t *testing.T) {
	judged := 0
	parts := counterparts(rev2607)
	dir := filepath.Join(specification(t), rev2607, "examples")
	for table, entries := range parts {
		for name, c := range entries {
			if find(rev2607, table, name) == nil {
				continue
			}
			for _, def := range c.defs {
				for suffix, member := range map[string]string{"": c.member, "Params": "", "Response": "result"} {
					for file, example := range examples(t, filepath.Join(dir, def+suffix)) {
						judged++
						if err := judgeAs(table, name, example, member); (err != nil) != (file == staleExample) {
							t.Errorf("%s as %s: %v", file, name, err)
						}
					}
				}
			}
		}
	}
	if judged < 40 {
		t.Errorf("only %d examples were judged", judged)
	}
}

func judgeAs(table, name string, example map[string]any, member string) error {
	var value any = example
	if member != "" {
		value = example[member]
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing the example: %w", err)
	}
	return judge(rev2607, table, name, raw)
}

func examples(t *testing.T, dir string) map[string]map[string]any {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]any{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var example map[string]any
		if err := json.Unmarshal(raw, &example); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimPrefix(file, filepath.Dir(dir))] = example
	}
	return all
}
