package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	suite "github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// offers says what a peer has, and whether it may be used.
type offers map[conformance.Feature]conformance.Offer

// refuses says why a step must not be played here; "" when it may. The harness leaves
// such steps out by itself, and they must not be played for the sake of later ones
// either. A tool that was refused when it was recorded is not needed; where it is
// there now, it must be one that may be called.
func (o offers) refuses(st *step) string {
	for _, need := range append(slices.Clone(st.needs), toolNeeds(st)...) {
		switch offer, has := o[need]; {
		case !has && slices.Contains(st.needs, need):
			return "the peer has no " + string(need)
		case has && !offer.Usable:
			return offer.Why
		}
	}
	return ""
}

// list is a list of the server, and how a feature is made of what it holds.
type list struct {
	needs          conformance.Feature
	method, member string
	kind, name     string
	offer          func(item json.RawMessage, name string) conformance.Offer
}

// survey finds out what the server has of what the script needs.
func survey(ctx context.Context, client *mcp.Client, s *Script, allow []string) (offers, error) {
	found, wanted := offers{}, s.wanted()
	declared(client, found)
	for _, l := range []list{
		{suite.Tools, "tools/list", "tools", "tool", "name", tool(allow)},
		{suite.Prompts, "prompts/list", "prompts", "prompt", "name", usable},
		{suite.Resources, "resources/list", "resources", resource, "uri", usable},
	} {
		if _, has := found[l.needs]; !has && l.needs != suite.Tools {
			continue // what a server does not declare it may still do: no tool is called unseen
		}
		if err := l.gather(ctx, client, wanted, found); err != nil {
			return nil, err
		}
	}
	return found, templated(ctx, client, found, wanted)
}

// wanted lists what the steps need, and the tools that they call.
func (s *Script) wanted() map[conformance.Feature]bool {
	wanted := map[conformance.Feature]bool{}
	for _, st := range s.steps {
		for _, need := range st.needs {
			wanted[need] = true
		}
		for _, need := range toolNeeds(st) {
			wanted[need] = true
		}
	}
	return wanted
}

// gather reads the list when something in it is wanted.
func (l list) gather(ctx context.Context, client *mcp.Client, wanted map[conformance.Feature]bool, found offers) error {
	if !anyOf(wanted, l.kind) {
		return nil
	}
	items, err := walk(ctx, client, l.method, l.member)
	for _, item := range items {
		name, _ := wire.Text(wire.Get(item, l.name))
		if f := feature(l.kind, name); wanted[f] {
			found[f] = l.offer(item, name)
		}
	}
	return err
}

// declared takes over the capabilities.
func declared(client *mcp.Client, found offers) {
	for f, path := range map[conformance.Feature][]string{
		suite.Tools: {"tools"}, suite.Resources: {"resources"}, suite.Prompts: {"prompts"},
		suite.Completions: {"completions"}, suite.Logging: {"logging"}, suite.Subscribe: {"resources", "subscribe"},
		tasks: {"tasks"},
	} {
		switch string(wire.Path(client.Capabilities, path...)) {
		case "", "null", "false":
		default:
			found[f] = conformance.Offer{Usable: true}
		}
	}
	if client.Revision == mcp.Rev2024 && found[suite.Prompts].Usable { // which had no capability for it
		found[suite.Completions] = conformance.Offer{Usable: true}
	}
}

func usable(json.RawMessage, string) conformance.Offer { return conformance.Offer{Usable: true} }

// tool offers a tool when it only reads by its own word, or the user allows it.
func tool(allow []string) func(json.RawMessage, string) conformance.Offer {
	return func(item json.RawMessage, name string) conformance.Offer {
		if string(wire.Path(item, "annotations", "readOnlyHint")) == "true" || slices.Contains(allow, name) {
			return conformance.Offer{Usable: true}
		}
		return conformance.Offer{Why: fmt.Sprintf("the tool %s is not marked read-only, and --allow-tool does not name it", name)}
	}
}

// anyOf tells whether something of the kind is wanted by its name.
func anyOf(wanted map[conformance.Feature]bool, kind string) bool {
	for f := range wanted {
		if strings.HasPrefix(string(f), kind+` "`) {
			return true
		}
	}
	return false
}

// templated offers the wanted resources that are not listed, where a template may
// stand for them.
func templated(ctx context.Context, client *mcp.Client, found offers, wanted map[conformance.Feature]bool) error {
	if !anyOf(wanted, resource) || !found[suite.Resources].Usable {
		return nil
	}
	templates, err := walk(ctx, client, "resources/templates/list", "resourceTemplates")
	if err != nil || len(templates) == 0 {
		return err
	}
	for f := range wanted {
		if _, listed := found[f]; !listed && strings.HasPrefix(string(f), resource+` "`) {
			found[f] = conformance.Offer{Usable: true}
		}
	}
	return nil
}

// resource is the kind of the features that are single resources.
const resource = "resource"

// maxPages bounds the walk through a list.
const maxPages = 100

// walk reads a list to its end. A server that refuses it has nothing in it.
func walk(ctx context.Context, client *mcp.Client, method, member string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	var params json.RawMessage
	for range maxPages {
		reply, err := client.Request(ctx, method, params)
		if err != nil {
			return nil, fmt.Errorf("finding out what the server has: %w", err)
		}
		var items []json.RawMessage
		_ = json.Unmarshal(wire.Get(reply.Result, member), &items) // what is no list has no items
		all = append(all, items...)
		cursor := wire.Get(reply.Result, "nextCursor")
		if cursor == nil {
			break
		}
		params = json.RawMessage(`{"cursor":` + string(cursor) + `}`)
	}
	return all, nil
}
