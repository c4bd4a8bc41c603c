package reporters

import (
	"fmt"
	"strings"
	"time"
)

// suiteDigest stands for the digest of a list of cases.
var suiteDigest = "sha256:" + strings.Repeat("0123456789abcdef", 4)

// nasty holds what a hostile peer may say of itself, one a line of attack.
var nasty = map[string]string{
	"bar":       "a | b \\| c",
	"backticks": "`x` ``y`` ```\n```sh\nrm",
	"newline":   "one\n\n# heading\n- item\r\n| row |",
	"html":      "<script>alert(1)</script><!-- </details> &lt;",
	"control":   "\x1b[31mred\x00\x07\u202egpj.exe\u2028",
	"utf8":      "caf\xe9 \xff\xfe ok",
	"markup":    "**b** _i_ ~~s~~ [l](javascript:x) ![i](x) $x^2$ @octocat #1 https://evil.example www.evil.example",
	"long":      strings.Repeat("abcdefghij", 60),
}

func baseReport(peers ...Peer) Report {
	return Report{
		Tool:       Tool{Name: "peerwright", Version: "0.1.0", Suite: suiteDigest},
		StartedAt:  time.Date(2026, 8, 1, 14, 30, 5, 123456789, time.FixedZone("", 2*3600)),
		DurationMS: 1840,
		Peers:      peers,
		Reproduce:  "peerwright report -- node server.js",
	}
}

func basePeer(cases ...Case) Peer {
	return Peer{
		Protocol: "mcp", Transport: "stdio", Target: "node server.js",
		Name: "weather-server", Version: "1.4.2", Revision: "2025-11-25",
		Features: []string{"tools", "resources"},
		Cases:    cases,
	}
}

func baseCase(id string, status Status) Case {
	words := strings.Split(id, ".")
	return Case{
		ID: id, Title: "Case " + words[len(words)-1], Area: words[1], Level: Must, Status: status, DurationMS: 3,
		Rule: Rule{Text: "The rule of " + id + ".", URL: "https://modelcontextprotocol.io/specification/2025-11-25/" + words[1]},
	}
}

func invalidCursor() Case {
	c := baseCase("mcp.pagination.invalid-cursor", Failed)
	c.Title = "An invalid cursor is refused"
	c.Rule.Text = "A server answers an invalid cursor with error -32602."
	c.Expected = "error -32602"
	c.Actual = "the first page again:\n{\"tools\":[{\"name\":\"a\"}]}"
	c.Fix = "Decode the cursor, and answer -32602 where that fails."
	for i := range MaxFrames + 5 {
		dir := Out
		if i%2 == 1 {
			dir = In
		}
		c.Transcript = append(c.Transcript, Frame{
			N: i + 1, AtUS: int64(i) * 1250, Dir: dir, Kind: "message", Text: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d}`, i),
		})
	}
	return c
}

func mixedPeer() Peer {
	warned := baseCase("mcp.tools.annotations", Warned)
	warned.Level, warned.Actual = Should, "no annotations"
	failing := baseCase("mcp.tools.output-schema", KnownFailing)
	failing.Reason = "in the baseline since 1.3"
	unverified := baseCase("mcp.resources.subscribe", NotVerified)
	unverified.Reason = "no resource changes"
	skipped := baseCase("mcp.security.origin", Skipped)
	skipped.Reason = "left out by --skip"
	other := baseCase("mcp.tasks.cancel", NotApplicable)
	other.Reason = "tasks are not declared"
	errored := baseCase("mcp.lifecycle.shutdown", Errored)
	errored.Reason = "the case ran out of time"
	p := basePeer(warned, failing, unverified, skipped, other, errored, invalidCursor(),
		baseCase("mcp.errors.unknown-method", Passed), baseCase("mcp.pagination.walk", KnownFlaky))
	p.Calls = []Call{{"get_weather", "read-only by annotation", 1}, {"add", "allowed by --allow-tool", 2}, {"get_weather", "read-only by annotation", 3}}
	return p
}

func unstartedPeer() Peer {
	return Peer{Protocol: "a2a", Transport: "jsonrpc", Target: "http://127.0.0.1:9/", Error: "dial: connection refused"}
}

func nastyPeer() Peer {
	var cases []Case
	for name, text := range nasty {
		c := baseCase("mcp.framing."+name, Failed)
		c.Actual, c.Expected, c.Reason, c.Fix = text, text, text, text
		c.Title = text
		c.Transcript = []Frame{{N: 1, Dir: In, Kind: text, Text: text}}
		brief := baseCase("mcp.schema."+name, NotVerified)
		brief.Reason = text
		cases = append(cases, c, brief)
	}
	p := basePeer(cases...)
	all := strings.Join([]string{nasty["bar"], nasty["backticks"], nasty["html"], nasty["markup"]}, " ")
	p.Name, p.Version, p.Target, p.Error = all, all, all, nasty["control"]
	p.Features = []string{nasty["bar"], nasty["newline"]}
	for _, text := range nasty {
		p.Calls = append(p.Calls, Call{Tool: text, Why: text, Count: 1})
	}
	return p
}

// goldenReports are the reports whose renderings are kept in testdata.
func goldenReports() map[string]Report {
	core := baseCase("mcp.lifecycle.initialize", Passed)
	core.Core = true
	left := baseCase("mcp.lifecycle.initialize", Skipped)
	left.Core = true
	return map[string]Report{
		"conformant": baseReport(basePeer(core, baseCase("mcp.tools.list", Passed), baseCase("mcp.tasks.get", NotApplicable))),
		"mixed":      baseReport(mixedPeer(), unstartedPeer()),
		"skipped":    baseReport(basePeer(left)),
		"empty":      baseReport(),
		"nasty":      baseReport(nastyPeer()),
	}
}
