package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// lifecycleCases check how a conversation begins and what was agreed on: the
// handshake up to 2025-11-25, the metadata of each request from 2026-07-28 on.
func lifecycleCases() []conformance.Case {
	return []conformance.Case{
		unknownVersion(), versionEcho(), initializeResult(), tooEarly(), pingEmpty(),
		undeclaredLists(), undeclaredMethods(), declaredLists(), declaredLogging(),
		discoverComplete(), discoverCacheHints(),
		unsupportedVersion(), missingVersion(), missingCapabilities(), removedMethods(),
		resultTypes(), serverInfo(), stateless(), initializeNamesVersions(),
	}
}

const lifecyclePage = "2025-11-25/basic/lifecycle"

// hello composes the params of an initialize request.
func hello(revision string) json.RawMessage {
	return mcp.Options{Client: clientInfo()}.Initialize(revision)
}

func unknownVersion() conformance.Case {
	const unknown = "2099-12-31"
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.unknown-version", Title: "initialize with an unknown version is answered with another one", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: legacy(), Core: true,
			Rule: reporters.Rule{
				Text: "A server that does not support the version asked for must answer initialize with another that it supports; to disconnect is left to the client.",
				URL:  page(lifecyclePage + "#version-negotiation"),
			},
			Fix: "Answer initialize with your newest version when you do not know the one asked for; do not refuse it, by an error or an HTTP status.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.Bare(ctx, c).Attempt(ctx, c, "initialize", hello(unknown))
			version, ok := wire.Text(wire.Get(a.Message.Result, "protocolVersion"))
			c.That(ok && version != "" && version != unknown, "a result with a version that the server supports, to initialize with "+unknown, "%v", a)
		}),
	}
}

func versionEcho() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.version-echo", Title: "initialize with a supported version is answered with that version", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: legacy(), Core: true,
			Rule: reporters.Rule{
				Text: "A server that supports the version asked for must answer initialize with the same. (It supports each one that it agrees on.)",
				URL:  page(lifecyclePage + "#version-negotiation"),
			},
			Fix: "Answer with the version of the request whenever it is one that you support.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			asked := []string{s.Revision}
			if s.overHTTP() { // elsewhere each costs a process
				asked = legacy()
			}
			answers, supported := map[string]Answer{}, map[string]bool{s.Revision: true}
			for _, version := range asked {
				a := s.Bare(ctx, c).Attempt(ctx, c, "initialize", hello(version))
				answers[version] = a
				supported[a.version()] = true
			}
			for _, version := range asked {
				c.That(!supported[version] || answers[version].version() == version,
					"protocolVersion "+version+", which the server agrees on elsewhere", "%v", answers[version])
			}
		}),
	}
}

// version returns the version that a result of initialize agrees on.
func (a Answer) version() string {
	version, _ := wire.Text(wire.Get(a.Message.Result, "protocolVersion"))
	return version
}

func initializeResult() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.initialize-result", Title: "the result of initialize names version, capabilities and server", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: legacy(), Core: true,
			Rule: reporters.Rule{
				Text: "The result of initialize has protocolVersion, capabilities, which is an object, and serverInfo with a name and a version; instructions are a string where they are given.",
				URL:  page(lifecyclePage + "#initialization"),
			},
			Fix: "Fill in all required members of InitializeResult.",
		},
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, path := range [][]string{{"protocolVersion"}, {"serverInfo", "name"}, {"serverInfo", "version"}} {
				_, ok := wire.Text(wire.Path(s.Hello, path...))
				c.That(ok, fmt.Sprintf("a string at %v in the result of initialize", path), "%s", clip(string(s.Hello), 400))
			}
			c.That(isObject(wire.Get(s.Hello, "capabilities")), "an object as capabilities", "%s", clip(string(s.Hello), 400))
			said := wire.Get(s.Hello, "instructions")
			c.That(said == nil || said[0] == '"', "a string as instructions", "%s", clip(string(said), 100))
		}),
	}
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func tooEarly() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.too-early", Title: "a request before initialize does not spoil the handshake", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Should, Revisions: legacy(), Core: true,
			Rule: reporters.Rule{
				Text: "Initialization is to come first. What a server does with a request before it is left open (it may be answered, refused or ignored), but clients of later revisions begin with one, and the handshake after it is to work.",
				URL:  page("2026-07-28/basic/transports/stdio#backward-compatibility"),
			},
			Fix: "Refuse what comes too early with an error, and go on waiting for initialize.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			bare := s.Bare(ctx, c)
			_, err := bare.Send(ctx, transport.Outgoing{Raw: wire.Request(wire.StringID("peerwright-early"), "tools/list", json.RawMessage(`{}`))})
			c.Answered(err, "a request before initialize")
			a := bare.Attempt(ctx, c, "initialize", hello(s.Revision))
			c.That(a.Message.Result != nil, "a result of initialize after a request that came too early", "%v", a)
		}),
	}
}

func pingEmpty() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.ping", Title: "ping is answered with an empty result", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: legacy(), Core: true,
			Rule: reporters.Rule{
				Text: "The receiver of a ping must answer promptly with an empty result. (Like every result it may carry _meta.)",
				URL:  page("2025-11-25/basic/utilities/ping#behavior-requirements"),
			},
			Fix: "Answer ping with {}, whatever else is going on.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			members, err := wire.Members(s.Must(ctx, c, "ping", nil))
			c.That(err == nil, "an object as the result of ping", "%v", err)
			for _, m := range members {
				c.That(m.Name == "_meta", "an empty result of ping", "member %q in it", m.Name)
			}
		}),
	}
}
