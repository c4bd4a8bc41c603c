package chat

import (
	"context"
	"net/http"
	"regexp"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// bridgeCases are about what a bridge tells of itself.
func bridgeCases() []conformance.Case {
	return []conformance.Case{health(), toolList(), capabilities()}
}

func health() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Discovery, "health", "The bridge says that it serves", reporters.Must, needs(Contract),
			`GET /healthz answers {"status":"ok"} while the process serves.`, bridgeDocs, "Answer it before any key is asked for."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.do(ctx, c, http.MethodGet, s.target.root+"/healthz", nil)
			c.That(a.status == http.StatusOK && a.text("status") == "ok", `200 {"status":"ok"}`, "%d %s", a.status, clip(string(a.body)))
		}),
	}
}

func toolList() conformance.Case {
	name := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	return conformance.Case{
		Meta: about(conformance.Discovery, "tools", "The tools are functions that a model can be offered", reporters.Must, needs(Contract, Tools),
			"GET /v1/tools lists functions: each name is unique and of 1 to 64 letters, digits, _ and -, parameters is a schema of an object, and mcp says where the tool comes from and whether it changes something.",
			bridgeDocs+"#tools", "Map the names to what OpenAI allows, and keep the map."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			seen := map[string]bool{}
			for _, raw := range elements(s.target.facts.tools.at("data")) {
				said, _ := wire.Text(at(raw, "function", "name"))
				c.That(string(at(raw, "type")) == `"function"` && name.MatchString(said) && !seen[said], "a function with a name of its own that OpenAI allows", "%s", clip(string(raw)))
				c.That(string(at(raw, "function", "parameters", "type")) == `"object"`, "parameters of type object", "%s", clip(string(raw)))
				c.That(kind(at(raw, "mcp", "server")) == "string" && kind(at(raw, "mcp", "name")) == "string" && kind(at(raw, "mcp", "mutates")) == "boolean",
					"mcp with server, name and mutates", "%s", clip(string(raw)))
				seen[said] = true
			}
		}),
	}
}

func capabilities() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Discovery, "capabilities", "What the bridge says it can do is there", reporters.Must, needs(Contract),
			"GET /capabilities says what runs: streaming, llm, auth, the upstreams and the agents; each tool comes from an upstream in it.", bridgeDocs,
			"Build the answer from what runs, not from a constant."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			f := s.target.facts
			for name, want := range map[string]string{"streaming": "boolean", "llm": "boolean", "auth": "string", "pagination": "string", "upstreams": "array", "agents": "array"} {
				c.That(kind(f.capabilities.at(name)) == want, name+" as "+want, "%s", clip(string(f.capabilities.body)))
			}
			upstreams := map[string]bool{}
			for _, u := range elements(f.capabilities.at("upstreams")) {
				id, _ := wire.Text(at(u, "id"))
				upstreams[id] = true
			}
			for _, raw := range elements(f.tools.at("data")) {
				server, _ := wire.Text(at(raw, "mcp", "server"))
				c.That(upstreams[server], "the upstream of each tool among the upstreams", "%q is not there", server)
			}
		}),
	}
}
