package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

func discoverComplete() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.discovery.complete", Title: "server/discover names versions and capabilities", Protocol: conformance.MCP,
			Area: conformance.Discovery, Level: reporters.Must, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "Servers must implement server/discover; its result has supportedVersions, a list of strings with the version that was asked with, and capabilities, an object.",
				URL:  page("2026-07-28/server/discover#discoverresult"),
			},
			Fix: "Fill in all required members of DiscoverResult.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			result := s.Must(ctx, c, "server/discover", nil)
			versions := textsIn(wire.Get(result, "supportedVersions"))
			c.That(slices.Contains(versions, s.Revision), "supportedVersions with "+s.Revision+" in it", "%s", clip(string(result), 400))
			c.That(isObject(wire.Get(result, "capabilities")), "an object as capabilities", "%s", clip(string(result), 400))
		}),
	}
}

// textsIn reads a list of strings; nil when it is something else.
func textsIn(raw json.RawMessage) []string {
	var texts []string
	if json.Unmarshal(raw, &texts) != nil {
		return nil
	}
	return texts
}

func discoverCacheHints() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.discovery.cache-hints", Title: "server/discover says how long and for whom it may be kept", Protocol: conformance.MCP,
			Area: conformance.Discovery, Level: reporters.Must, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "The result of server/discover must carry ttlMs, a whole number from 0, and cacheScope, public or private.",
				URL:  page("2026-07-28/server/utilities/caching#cacheable-results"),
			},
			Fix: `Add "ttlMs": 0 and "cacheScope": "private" where nothing may be kept.`,
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			fault := cacheFault(s.Must(ctx, c, "server/discover", nil))
			c.That(fault == "", "ttlMs and cacheScope in server/discover", "%s", fault)
		}),
	}
}

func resultTypes() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.result-type", Title: "every result says what it is", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: `A result must have resultType; that of server/discover and of a list is "complete", for only calls, prompts and reads may ask for more input.`,
				URL:  page("2026-07-28/basic#resulttype"),
			},
			Fix: `Add "resultType": "complete" to each result.`,
		},
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, r := range s.results() {
				kind := wire.Get(r.result, "resultType")
				c.That(string(kind) == `"complete"`, `resultType "complete" in the result of `+r.method, "%s", orNothing(kind))
			}
		}),
	}
}

// shown is a result that the survey has seen.
type shown struct {
	method string
	result json.RawMessage
}

// results lists the results of server/discover and of the lists.
func (s *Session) results() []shown {
	all := []shown{{"server/discover", s.Hello}}
	for _, list := range s.Facts.walked() {
		for _, p := range list.Pages {
			all = append(all, shown{list.Method, p})
		}
	}
	return all
}

func serverInfo() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.server-info", Title: "each result says which server it is from", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Should, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "Servers should name themselves in each result, by name and version in the member " + mcp.MetaServer + " of its _meta.",
				URL:  page("2026-07-28/basic#meta"),
			},
			Fix: "Add " + mcp.MetaServer + " to the _meta of each result.",
		},
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, r := range s.results() {
				info := wire.Path(r.result, "_meta", mcp.MetaServer)
				_, name := wire.Text(wire.Get(info, "name"))
				_, version := wire.Text(wire.Get(info, "version"))
				c.That(name && version, mcp.MetaServer+" with name and version in the result of "+r.method, "%s", orNothing(info))
			}
		}),
	}
}

func stateless() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.stateless", Title: "a list is answered on a connection on which nothing came before", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: modern(), Needs: []conformance.Feature{AnyList},
			Rule: reporters.Rule{
				Text: "Servers must not rely on earlier requests of a connection, server/discover included: each request carries what is needed to answer it.",
				URL:  page("2026-07-28/basic#statelessness"),
			},
			Fix: "Take version and capabilities from the _meta of the request at hand.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			bare := s.Bare(ctx, c)
			bare.Revision = s.Revision
			bare.Conn().Negotiated(s.Revision)
			for _, claim := range claims() {
				if s.declares(claim.capability) {
					a := bare.Attempt(ctx, c, claim.method, nil)
					c.That(a.Message.Result != nil, "a result of "+claim.method+" as the first request of a connection", "%v", a)
					return
				}
			}
		}),
	}
}
