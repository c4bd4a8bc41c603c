package chat

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// bridgeCases are about what a bridge tells of itself.
func bridgeCases() []conformance.Case {
	return []conformance.Case{health(), ready(), toolList(), capabilities(), streamingTrue(), foreignOrigin()}
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

func ready() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Discovery, "ready", "The bridge says which of its peers can be reached", reporters.Must, needs(Contract),
			`GET /readyz answers 200 with status "ready" when every peer can be reached, else 503; peers says "ready" or why not, for every upstream and agent of the capabilities.`,
			bridgeDocs, "Ask every peer, and answer 503 when one is away."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a, err := s.raw(ctx, http.MethodGet, s.target.root+"/readyz", nil)
			c.Answered(err, "GET /readyz")
			away := 0
			for _, id := range append(s.target.facts.listed("upstreams"), s.target.facts.listed("agents")...) {
				said := a.text("peers", id)
				c.That(said != "", "what is known of "+id+" in peers", "%s", clip(string(a.body)))
				if said != "ready" {
					away++
				}
			}
			c.That(away == 0 && a.status == http.StatusOK && a.text("status") == "ready" || away > 0 && a.status == http.StatusServiceUnavailable && a.text("status") != "ready",
				"200 and ready, or 503 when a peer is away", "%d %s", a.status, clip(string(a.body)))
		}),
	}
}

func streamingTrue() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Discovery, "streaming", "The bridge streams as it says", reporters.Must, needs(Contract, Completions),
			"streaming in GET /capabilities says whether a request with stream set is answered with a stream.", bridgeDocs,
			"Build the answer from what runs, not from a constant."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			streams := transport.MediaType(s.completed(ctx, c, true).header) == eventStream
			said := string(s.target.facts.capabilities.at("streaming"))
			c.That(said == strconv.FormatBool(streams), "streaming "+strconv.FormatBool(streams)+", as it answers", "%s", said)
		}),
	}
}

// stranger is the origin of a web page that nobody can have allowed by name.
const stranger = "https://page.peerwright.invalid"

func foreignOrigin() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Security, "origin", "Web pages of other sites are refused", reporters.Should, needs(Contract),
			"A request with the Origin of another site is refused with 403 and class permission, but for GET /healthz. A bridge that is configured to be open to every site is warned.",
			bridgeDocs+"#keys", "Check Origin and Host before anything else."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a, err := s.raw(ctx, http.MethodGet, s.target.base+"/models", nil, "Origin", stranger)
			c.Answered(err, "GET /models from "+stranger)
			c.That(a.status == http.StatusForbidden && a.text("error", "class") == "permission", "403 and class permission for a page of "+stranger, "status %d, %s", a.status, clip(string(a.body)))
			open, err := s.raw(ctx, http.MethodGet, s.target.root+"/healthz", nil, "Origin", stranger)
			c.Answered(err, "GET /healthz from "+stranger)
			c.That(open.status == http.StatusOK, "health for everybody", "status %d", open.status)
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
			"GET /capabilities says what runs: streaming, llm, auth, the upstreams and the agents; each tool comes from an upstream in it, and each agent is a model.", bridgeDocs,
			"Build the answer from what runs, not from a constant."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			f := s.target.facts
			for name, want := range map[string]string{"streaming": "boolean", "llm": "boolean", "auth": "string", "pagination": "string", "upstreams": "array", "agents": "array"} {
				c.That(kind(f.capabilities.at(name)) == want, name+" as "+want, "%s", clip(string(f.capabilities.body)))
			}
			for _, raw := range elements(f.tools.at("data")) {
				server, _ := wire.Text(at(raw, "mcp", "server"))
				c.That(slices.Contains(f.listed("upstreams"), server), "the upstream of each tool among the upstreams", "%q is not there", server)
			}
			for _, id := range f.listed("agents") {
				is := func(m json.RawMessage) bool { said, _ := wire.Text(at(m, "id")); return said == id }
				c.That(slices.ContainsFunc(elements(f.models.at("data")), is), "the agent "+id+" among the models", "%s", clip(string(f.models.body)))
			}
		}),
	}
}
