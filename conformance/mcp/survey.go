package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// maxPages bounds the walk through one list.
const maxPages = 100

// Facts are what the survey found out about a server, for cases to choose by.
type Facts struct {
	Lists     map[string]*List // by method; only those of declared capabilities
	Tools     []Tool
	Session   string // the HTTP session id that was handed out; "" when none was
	Templates []json.RawMessage
	Resources []json.RawMessage
	Prompts   []json.RawMessage
}

// List is one list, walked from its first page to its last.
type List struct {
	Method string
	Member string // the member of the result that holds the items
	Pages  []json.RawMessage
	Items  []json.RawMessage
	// Fault says why the walk did not reach the end: an error of the server, a cursor
	// that came back, too many pages. "" when it did.
	Fault string
}

// Paged tells whether the list has more than one page.
func (l *List) Paged() bool { return l != nil && len(l.Pages) > 1 }

// listed names the lists of each capability.
func listed() map[conformance.Feature][]List {
	return map[conformance.Feature][]List{
		Tools:     {{Method: "tools/list", Member: "tools"}},
		Resources: {{Method: "resources/list", Member: "resources"}, {Method: "resources/templates/list", Member: "resourceTemplates"}},
		Prompts:   {{Method: "prompts/list", Member: "prompts"}},
	}
}

// Survey reaches the server, does the handshake and walks its lists.
func (t *Target) Survey(ctx context.Context) (conformance.Survey, error) {
	conv, err := t.share(ctx, &t.shared)
	if err != nil {
		return conformance.Survey{}, err
	}
	client := conv.client
	t.mu.Lock()
	t.pinned, t.overSSE = client.Revision, client.Older
	t.mu.Unlock()
	declared := declaredFeatures(client)
	facts, err := t.gather(ctx, client, declared)
	if err := t.enough(err); err != nil {
		return conformance.Survey{}, err
	}
	t.facts = facts
	return conformance.Survey{
		Protocol: conformance.MCP, Transport: t.transport(client), Target: t.config.Name,
		Name: client.Server.Name, Version: client.Server.Version, Revision: client.Revision,
		Features: t.features(declared, facts, client.Older),
	}, nil
}

// transport names what the conversation really goes over.
func (t *Target) transport(client *mcp.Client) string {
	if client.Older {
		return "sse"
	}
	return t.config.Transport
}

func declaredFeatures(client *mcp.Client) map[conformance.Feature]bool {
	has := func(path ...string) bool {
		v := wire.Path(client.Capabilities, path...)
		return v != nil && string(v) != "null" && string(v) != "false"
	}
	return map[conformance.Feature]bool{
		Tools: has("tools"), Resources: has("resources"), Prompts: has("prompts"),
		Completions: has("completions"), Logging: has("logging"),
		Subscribe:   has("resources", "subscribe"),
		ListChanged: has("tools", "listChanged") || has("resources", "listChanged") || has("prompts", "listChanged"),
	}
}

func (t *Target) gather(ctx context.Context, client *mcp.Client, declared map[conformance.Feature]bool) (*Facts, error) {
	facts := &Facts{Lists: map[string]*List{}}
	if keeper, ok := client.Conn().(interface{ SessionID() string }); ok {
		facts.Session = keeper.SessionID()
	}
	for feature, lists := range listed() {
		if !declared[feature] {
			continue
		}
		for _, list := range lists {
			if err := list.walk(ctx, client); err != nil {
				return nil, err
			}
			facts.Lists[list.Method] = &list
		}
	}
	facts.Resources, facts.Templates = facts.items("resources/list"), facts.items("resources/templates/list")
	facts.Prompts = facts.items("prompts/list")
	for _, raw := range facts.items("tools/list") {
		facts.Tools = append(facts.Tools, t.readTool(raw))
	}
	return facts, nil
}

func (f *Facts) items(method string) []json.RawMessage {
	if l := f.Lists[method]; l != nil {
		return l.Items
	}
	return nil
}

// walk follows the cursors to the end of the list. A server that answers with an
// error, or leads in a circle, is a Fault for the cases to judge; the error tells
// of a conversation that failed.
func (l *List) walk(ctx context.Context, client *mcp.Client) error {
	seen := map[string]bool{}
	params := noParams()
	for len(l.Pages) < maxPages {
		reply, err := client.Request(ctx, l.Method, params)
		if err != nil {
			return fmt.Errorf("walking the list: %w", err)
		}
		if seen[""] && (reply.Error != nil || l.startsOver(reply.Result)) {
			return nil //nolint:nilerr // "" was meant as the end: mcp.pagination.end-without-cursor tells
		}
		if reply.Error != nil {
			l.Fault = reply.Error.Error()
			return nil //nolint:nilerr // a refusal of the server is a finding, not a failure of the walk
		}
		cursor, more := l.take(reply.Result)
		if !more {
			return nil
		}
		if seen[cursor] {
			l.Fault = fmt.Sprintf("cursor %q came back after %d pages", cursor, len(l.Pages))
			return nil
		}
		seen[cursor] = true
		params = cursorParams(cursor)
	}
	l.Fault = fmt.Sprintf("no end after %d pages", maxPages)
	return nil
}

// take adds one page, and returns its nextCursor.
func (l *List) take(result json.RawMessage) (cursor string, more bool) {
	l.Pages = append(l.Pages, result)
	var items []json.RawMessage
	_ = json.Unmarshal(wire.Get(result, l.Member), &items) // what is no array has no items; a case judges it
	l.Items = append(l.Items, items...)
	return wire.Text(wire.Get(result, "nextCursor"))
}

func cursorParams(cursor string) json.RawMessage {
	return json.RawMessage(`{"cursor":` + string(wire.Quote(cursor)) + `}`)
}

// features says of each declared thing whether it can be exercised.
func (t *Target) features(declared map[conformance.Feature]bool, facts *Facts, older bool) map[conformance.Feature]conformance.Offer {
	out := map[conformance.Feature]conformance.Offer{}
	for f, yes := range declared {
		if yes {
			out[f] = conformance.Offer{Usable: true}
		}
	}
	offer := func(f conformance.Feature, declared, usable bool, why string) {
		if declared {
			out[f] = conformance.Offer{Usable: usable, Why: why}
		}
	}
	offer(HTTP, t.config.Transport == "http" && !older, true, "")
	offer(Stdio, t.config.Transport == "stdio", true, "")
	offer(Sessions, facts.Session != "", true, "")
	lists := len(facts.Lists) > 0
	offer(AnyList, lists, true, "")
	offer(Pages, lists, facts.anyPaged(), "every list fits on one page")
	offer(AnyResource, declared[Resources], len(facts.Resources) > 0, "it lists no resource")
	offer(AnyTemplate, declared[Resources], len(facts.Templates) > 0, "it lists no resource template")
	offer(AnyPrompt, declared[Prompts], len(facts.Prompts) > 0, "it lists no prompt")
	offer(ReadableTool, declared[Tools], facts.Tool(Tool.callable) != nil,
		"no tool is marked read-only, or allowed by name, and has arguments that can be made up")
	offer(StructuredTool, declared[Tools], facts.Tool(Tool.structured) != nil,
		"no tool that may be called has an output schema")
	offer(ArgumentTool, declared[Tools], facts.Tool(Tool.demanding) != nil,
		"no tool that may be called requires an argument")
	return out
}

func (f *Facts) anyPaged() bool {
	for _, l := range f.Lists {
		if l.Paged() {
			return true
		}
	}
	return false
}

// Tool returns the first tool that want accepts, nil when there is none.
func (f *Facts) Tool(want func(Tool) bool) *Tool {
	for i := range f.Tools {
		if want(f.Tools[i]) {
			return &f.Tools[i]
		}
	}
	return nil
}
