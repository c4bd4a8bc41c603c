package mcp

import (
	"bytes"
	"testing"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// atHello changes the answer to every initialize but the first, which is the
// survey's.
func atHello(reply func(req wire.Message, good []byte) []byte) *scripted {
	n := 0
	return instead("initialize", func(req wire.Message, good []byte) []byte {
		if n++; n == 1 {
			return good
		}
		return reply(req, good)
	})
}

func TestHandshake(t *testing.T) {
	for _, w := range everyWay(mcp.Rev2024, mcp.Rev2511) {
		judge(t, unknownVersion(),
			row{"an error", atHello(fails(-32602)), w, reporters.Failed, "error -32602"},
			row{"echoed", atHello(says(mcp.Rev2511, "2099-12-31")), w, reporters.Failed, "2099-12-31"},
			row{"no version", atHello(works(`{"capabilities":{}}`)), w, reporters.Failed, "result"})
		judge(t, versionEcho(),
			row{"another", atHello(says(w.revision, mcp.Rev2506)), w, reporters.Failed, mcp.Rev2506},
			row{"an error", atHello(fails(-32602)), w, reporters.Failed, "error -32602"})
		judge(t, pingEmpty(),
			row{"not empty", instead("ping", works(`{"pong":true}`)), w, reporters.Failed, `member "pong"`},
			row{"_meta", instead("ping", works(`{"_meta":{}}`)), w, reporters.Passed, ""},
			row{"an error", instead("ping", fails(-32601)), w, reporters.Failed, "-32601"},
			row{"no object", instead("ping", works(`"pong"`)), w, reporters.Failed, "object"})
		judge(t, initializeResult(),
			row{"no name", instead("initialize", says(`"name":"scripted",`, "")), w, reporters.Failed, "version"},
			row{"capabilities as a list", instead("initialize", capabilityList), w, reporters.Failed, "capabilities"},
			row{"instructions as a list", instead("initialize", says(`"serverInfo"`, `"instructions":[],"serverInfo"`)), w, reporters.Failed, "[]"})
	}
	judge(t, unknownVersion(), row{"HTTP 400", &scripted{http: scriptedHTTP{wrap: refuse(asksFor2099, "no such version")}}, way{"http", mcp.Rev2511}, reporters.Failed, "HTTP status 400"})
	judge(t, tooEarly(), row{"dead", &scripted{hook: diesEarly}, way{"stdio", mcp.Rev2511}, reporters.Warned, "the script says to die"})
}

func capabilityList(_ wire.Message, good []byte) []byte {
	from := bytes.Index(good, []byte(`"capabilities":`)) + len(`"capabilities":`)
	to := bytes.Index(good, []byte(`,"serverInfo"`))
	return append(append(bytes.Clone(good[:from]), "[]"...), good[to:]...)
}

// diesEarly ends the server at a request that it refuses for coming too early.
func diesEarly(req wire.Message, good []byte) [][]byte {
	if req.ID.String() == `"peerwright-early"` {
		return [][]byte{nil}
	}
	return some(good)
}

func TestCapabilities(t *testing.T) {
	leak := func(p *scripted, method, result string) *scripted {
		p.hook = instead(method, works(result)).hook
		return p
	}
	for _, w := range bothEras() {
		lacking := func() *scripted { return &scripted{lacks: []string{"prompts", "completions", "logging"}} }
		judge(t, undeclaredLists(),
			row{"none", lacking(), w, reporters.Passed, ""},
			row{"empty", leak(lacking(), "prompts/list", `{"prompts":[]}`), w, reporters.Passed, ""},
			row{"some", leak(lacking(), "prompts/list", `{"prompts":[{"name":"a"}]}`), w, reporters.Failed, "prompts"})
		judge(t, undeclaredMethods(),
			row{"none", lacking(), w, reporters.Passed, ""},
			row{"empty", leak(lacking(), "prompts/list", `{"prompts":[]}`), w, reporters.Warned, "prompts"},
			row{"completed", leak(lacking(), "completion/complete", `{"completion":{"values":[]}}`), w, reporters.Warned, "values"})
		judge(t, declaredLists(),
			row{"no method", instead("tools/list", fails(-32601)), w, reporters.Failed, "-32601"},
			row{"no list", instead("prompts/list", works(`{"prompts":{}}`)), w, reporters.Failed, "prompts"})
	}
	for _, w := range legacyWays() {
		judge(t, undeclaredMethods(),
			row{"a level", leak(&scripted{lacks: []string{"logging"}}, "logging/setLevel", `{}`), w, reporters.Warned, "result {}"})
		judge(t, declaredLogging(), row{"no method", instead("logging/setLevel", fails(-32601)), w, reporters.Failed, "-32601"})
	}
}

func TestDiscovery(t *testing.T) {
	drop := func(old string) *scripted {
		n := 0 // the survey has to succeed
		return instead("server/discover", func(_ wire.Message, good []byte) []byte {
			if n++; n == 1 {
				return good
			}
			return bytes.Replace(good, []byte(old), []byte(`"x":`), 1)
		})
	}
	for _, w := range modernWays() {
		judge(t, discoverComplete(),
			row{"no versions", drop(`"supportedVersions":`), w, reporters.Failed, "resultType"},
			row{"no capabilities", drop(`"capabilities":`), w, reporters.Failed, "resultType"})
		judge(t, discoverCacheHints(),
			row{"no ttlMs", drop(`"ttlMs":`), w, reporters.Failed, "ttlMs is"},
			row{"no cacheScope", drop(`"cacheScope":`), w, reporters.Failed, "cacheScope is"})
		judge(t, resultTypes(),
			row{"none", instead("server/discover", says(`"resultType":"complete",`, "")), w, reporters.Failed, "nothing"},
			row{"another", instead("tools/list", says(`"complete"`, `"bogus"`)), w, reporters.Failed, "bogus"})
		judge(t, serverInfo(),
			row{"none", instead("prompts/list", says(`"version":"1"`, `"x":"1"`)), w, reporters.Warned, "scripted"})
		judge(t, stateless(), row{"wants discover", wantsDiscover(), w, reporters.Failed, "-32600"})
	}
}

// wantsDiscover refuses what comes first on a connection unless it is
// server/discover. The survey is the first; over HTTP connections do not show, so
// that it goes by the ids, which begin anew with each.
func wantsDiscover() *scripted {
	return &scripted{hook: func(req wire.Message, good []byte) [][]byte {
		if good != nil && req.ID.String() == "1" && req.Method != "server/discover" {
			good = wire.Failure(req.ID, -32600, "discover first", nil)
		}
		return some(good)
	}}
}

func TestVersions(t *testing.T) {
	for _, w := range modernWays() {
		judge(t, unsupportedVersion(),
			row{"served", instead("tools/list", asIfKnown), w, reporters.Failed, `"tools"`},
			row{"another code", instead("tools/list", says("-32022", "-32602")), w, reporters.Failed, "-32602"},
			row{"nothing supported", instead("tools/list", says(`"supported":`, `"known":`)), w, reporters.Failed, "data {"},
			row{"nothing requested", instead("tools/list", says(`"requested":`, `"asked":`)), w, reporters.Failed, "data {"})
		judge(t, missingCapabilities(),
			row{"served", instead("tools/list", asIfWhole), w, reporters.Failed, `"tools"`},
			row{"another code", instead("tools/list", says("-32602", "-32600")), w, reporters.Failed, "-32600"})
		served := instead("tools/list", asIfWhole)
		if w.transport == "stdio" {
			judge(t, missingVersion(), row{"served by both eras", served, w, reporters.NotVerified, "tools"})
		} else {
			judge(t, missingVersion(), row{"served by both eras", served, w, reporters.Failed, "tools"})
		}
		judge(t, missingVersion(), row{"served", &scripted{era: "modern", hook: instead("tools/list", asIfWhole).hook}, w, reporters.Failed, "tools"})
		judge(t, missingVersion(),
			row{"in its own way", instead("tools/list", says("-32602", "-32600")), w, reporters.Passed, ""},
			row{"another code", &scripted{era: "modern", hook: instead("tools/list", says("-32602", "-32600")).hook}, w, reporters.Failed, "-32600"})
		judge(t, removedMethods(), row{"pong", instead("ping", works(`{"resultType":"complete"}`)), w, reporters.Warned, "result"})
		judge(t, initializeNamesVersions(),
			row{"both eras", &scripted{}, w, reporters.NotVerified, "legacy revisions too"},
			row{"no version", &scripted{era: "modern", hook: instead("initialize", fails(-32601)).hook}, way{"stdio", w.revision}, reporters.Warned, "-32601"},
			row{"no version", &scripted{era: "modern", http: scriptedHTTP{wrap: refuse(isInitialize, "what?")}}, way{"http", w.revision}, reporters.Warned, "HTTP status 400"},
			row{"in plain text", &scripted{era: "modern", http: scriptedHTTP{wrap: refuse(isInitialize, "use 2026-07-28")}}, way{"http", w.revision}, reporters.Passed, ""})
	}
}

// asIfKnown serves a request of a version that never was as one of 2026-07-28.
func asIfKnown(req wire.Message, _ []byte) []byte {
	m := wire.Parse(bytes.ReplaceAll(req.Raw, []byte(neverWas), []byte(mcp.Rev2607)))
	return (&scripted{}).respond(mcp.Rev2607, m)
}

// asIfWhole serves a request that lacks a member of _meta as if it were there.
func asIfWhole(req wire.Message, _ []byte) []byte {
	whole := `{"_meta":{"` + mcp.MetaVersion + `":"` + mcp.Rev2607 + `","` + mcp.MetaCapabilities + `":{}}}`
	return (&scripted{}).respond(mcp.Rev2607, wire.Parse(wire.Request(req.ID, req.Method, []byte(whole))))
}
