package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// neverWas is a version that no server speaks.
const neverWas = "1900-01-01"

// ofNoVersion sends a good request, but of a version that never was.
func (s *Session) ofNoVersion(ctx context.Context, c *conformance.Check) Answer {
	return s.Attempt(ctx, c, s.plain(), map[string]any{"_meta": map[string]any{mcp.MetaVersion: neverWas}})
}

func unsupportedVersion() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.unsupported-version", Title: "a request of an unknown version is answered with -32022 and the known ones", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "A request of a version that the server does not implement must be answered with the error -32022, whose data lists the supported versions and repeats the requested one. That holds for a server of both eras too: in the specification's own example one refuses 1900-01-01.",
				URL:  page("2026-07-28/basic/versioning#protocol-version-negotiation"),
			},
			Fix: `Check the version of each request, and answer -32022 with {"supported": […], "requested": …} as data.`,
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.ofNoVersion(ctx, c)
			c.That(a.Code() == mcp.CodeUnsupportedVersion, "error -32022 to the version "+neverWas, "%v", a)
			data := a.Message.Error.Data
			supported := textsIn(wire.Get(data, "supported"))
			c.That(slices.Contains(supported, s.Revision), "data.supported with "+s.Revision+" in it", "data %s", orNothing(data))
			requested, _ := wire.Text(wire.Get(data, "requested"))
			c.That(requested == neverWas, "data.requested "+neverWas, "data %s", orNothing(data))
		}),
	}
}

// lacks sends a good request that lacks one member of _meta.
func (s *Session) lacks(ctx context.Context, member string) Answer {
	var kept []wire.Member
	members, _ := wire.Members(wire.Get(s.Params(nil), "_meta")) // made here, so it can be read
	for _, m := range members {
		if m.Name != member {
			kept = append(kept, m)
		}
	}
	id := s.NextID()
	params := append(append(json.RawMessage(`{"_meta":`), wire.Object(kept)...), '}')
	r := rpc.Request{ID: id, Raw: wire.Request(id, s.plain(), params)}
	return s.exchange(ctx, r, func(in transport.Incoming) bool { return isAnswer(in, id) })
}

func missingVersion() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.missing-version", Title: "a request that does not name its version is refused", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: modern(),
			Rule: reporters.Rule{
				Text: "A request whose _meta lacks the protocol version must be answered with -32602; over HTTP the header then has nothing to match, and -32020 says so too. (A server that speaks earlier revisions as well may take the request for one of those: over HTTP, where the header still names the version, it has to refuse it in whatever way; on a stream it may even serve it.)",
				URL:  page("2026-07-28/basic#meta"),
			},
			Fix: "Require " + mcp.MetaVersion + " in the _meta of each request, and answer -32602 when it is missing.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.lacks(ctx, mcp.MetaVersion)
			switch {
			case a.Code() == codeInvalidParams, s.overHTTP() && a.Code() == mcp.CodeHeaderMismatch:
			case !s.speaksLegacy(ctx, c):
				c.That(false, "error -32602 to a request without a version", "%v", a)
			case !a.turnedDown() && !s.overHTTP():
				c.NotVerified("a server of both eras may take it for a request of an earlier revision; what came: %v", a)
			default:
				c.That(a.turnedDown(), "a refusal of a request without a version", "%v", a)
			}
		}),
	}
}

// dualEra tells whether the server says that it speaks legacy revisions too.
func (s *Session) dualEra() bool {
	return slices.ContainsFunc(textsIn(wire.Get(s.Hello, "supportedVersions")), func(v string) bool { return !mcp.Modern(v) })
}

func missingCapabilities() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.missing-capabilities", Title: "a request that does not name the client's capabilities is refused", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "A request whose _meta lacks the client's capabilities must be answered with -32602.",
				URL:  page("2026-07-28/basic#meta"),
			},
			Fix: "Require " + mcp.MetaCapabilities + " in the _meta of each request, and answer -32602 when it is missing.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.lacks(ctx, mcp.MetaCapabilities)
			c.That(a.Code() == codeInvalidParams, "error -32602 to a request without the client's capabilities", "%v", a)
		}),
	}
}

func removedMethods() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.removed-methods", Title: "methods of earlier revisions are unknown to 2026-07-28", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Should, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "2026-07-28 has no ping, logging/setLevel, resources/subscribe and resources/unsubscribe: a request of that revision for one of them is one for a method that there is not, -32601.",
				URL:  page("2026-07-28/changelog#major-changes"),
			},
			Fix: "Choose the methods by the version of the request; do not serve those of the handshake era to a request of 2026-07-28.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, old := range []claim{
				{method: "ping"},
				{method: "logging/setLevel", params: map[string]any{"level": "error"}},
				{method: "resources/subscribe", params: map[string]any{"uri": noSuchURI}},
				{method: "resources/unsubscribe", params: map[string]any{"uri": noSuchURI}},
			} {
				s.Attempt(ctx, c, old.method, old.params).refusedWith(c, old.method+" in a request of 2026-07-28", codeNoMethod)
			}
		}),
	}
}

func initializeNamesVersions() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.initialize-names-versions", Title: "a refused initialize tells which versions there are", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Should, Revisions: modern(),
			Rule: reporters.Rule{
				Text: "A server without legacy revisions should name those that it supports in the error to initialize: it may be all that the user of an older client gets to see.",
				URL:  page("2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions"),
			},
			Fix: "Name the supported versions in the message or the data of the error to initialize.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.Bare(ctx, c).Attempt(ctx, c, "initialize", hello(mcp.Rev2511))
			if a.Message.Result != nil {
				c.NotVerified("the server speaks legacy revisions too: it answers initialize")
			}
			c.That(strings.Contains(a.text(), s.Revision), "an error to initialize that names "+s.Revision, "%v", a)
		}),
	}
}

// text is all that a refusal says, in whatever form.
func (a Answer) text() string {
	var status *mcphttp.StatusError
	if a.Message.Raw == nil && errors.As(a.Err, &status) {
		return string(status.Body)
	}
	return string(a.Message.Raw)
}
