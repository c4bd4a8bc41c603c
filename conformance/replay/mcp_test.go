package replay_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// server answers by a function, over stdio.
type server struct {
	answer func(m wire.Message) []string // lines, ID stands for the request's id
	mu     sync.Mutex
	heard  []wire.Message
}

func (s *server) serve(_ context.Context, r io.Reader, w io.Writer) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		m := wire.Parse([]byte(in.Text()))
		s.mu.Lock()
		s.heard = append(s.heard, m)
		s.mu.Unlock()
		for _, line := range s.answer(m) {
			if _, err := io.WriteString(w, strings.ReplaceAll(line, "ID", m.ID.String())+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *server) config() replay.MCPConfig {
	return replay.MCPConfig{
		Dial: func(_ context.Context, tap wire.Tap) (transport.Conn, error) {
			return stdio.DialPipe(context.Background(), s.serve, transport.Options{Tap: tap}), nil
		},
		Transport: "stdio", Name: "scripted", Now: time.Now,
	}
}

// said returns the messages with the method that the server heard.
func (s *server) said(method string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, m := range s.heard {
		if m.Method == method {
			all = append(all, string(m.Raw))
		}
	}
	return all
}

const hello = `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}`

const recorded = `
> {"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":7,"method":"tools/list"}
< {"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}],"nextCursor":"recorded-cursor"}}
> {"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"cursor":"recorded-cursor"}}
< {"jsonrpc":"2.0","id":8,"result":{"tools":[{"name":"wipe","inputSchema":{"type":"object"}}]}}
> {"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"look","_meta":{"progressToken":"t"}}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":2}}
< {"jsonrpc":"2.0","id":"s","result":{"content":[{"type":"text","text":"first"}]}}
> {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"look"}}
< {"jsonrpc":"2.0","id":10,"result":{"content":[{"type":"text","text":"second"}],"isError":true}}
> {"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"wipe"}}
< {"jsonrpc":"2.0","id":11,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"gone"}}
< {"jsonrpc":"2.0","id":12,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"nonsense"}}
< {"jsonrpc":"2.0","id":13,"error":{"code":-32602,"message":"unknown tool"}}
> {"jsonrpc":"2.0","id":14,"method":"resources/list"}
< {"jsonrpc":"2.0","id":14,"result":{"resources":[]}}
> {"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"name":"look","arguments":{"password":"[REDACTED:password:00112233]"}}}
< {"jsonrpc":"2.0","id":15,"result":{"content":[{"type":"text","text":"x"}]}}
> {"jsonrpc":"2.0","id":16,"method":"tools/call","params":{"name":"look","arguments":{"slow":true}}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":16}}
> {"jsonrpc":"2.0","id":17,"method":"ping"}
< {"jsonrpc":"2.0","id":17,"result":{}}
> not a message
`

// faithful answers as the recorded server did, with values of its own.
func faithful() *server {
	looks := 0
	return &server{answer: func(m wire.Message) []string {
		name, _ := wire.Text(wire.Get(m.Params, "name"))
		cursor, _ := wire.Text(wire.Get(m.Params, "cursor"))
		token := string(wire.Path(m.Params, "_meta", "progressToken"))
		switch {
		case m.Method == "initialize":
			return []string{hello}
		case m.Method == "tools/list" && cursor == "":
			return []string{`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}],"nextCursor":"live"}}`}
		case m.Method == "tools/list" && cursor == "live":
			return []string{`{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"wipe","inputSchema":{"type":"object"}}]}}`}
		case name == "look" && wire.Path(m.Params, "arguments", "slow") != nil:
			return nil
		case name == "look" && token != "":
			return []string{
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":5}}`,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"another","progress":0}}`,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":6}}`,
				`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"other words"}]}}`,
			}
		case name == "look":
			looks++
			return []string{`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}],"isError":true}}`}
		case m.Method == "ping":
			return []string{`{"jsonrpc":"2.0","id":ID,"result":{}}`}
		case m.Kind == wire.KindRequest:
			return []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no"}}`}
		}
		return nil
	}}
}

func passed() result { return result{status: reporters.Passed} }

// asRecorded is what a faithful server comes to.
func asRecorded() map[string]result {
	return map[string]result{
		"01.initialize":                passed(),
		"02.notifications-initialized": passed(),
		"03.tools-list":                passed(),
		"04.tools-list":                passed(),
		"05.tools-call":                passed(),
		"06.tools-call":                passed(),
		"07.tools-call":                {reporters.NotVerified, "the tool wipe is not marked read-only, and --allow-tool does not name it"},
		"08.tools-call":                {reporters.NotApplicable, `the peer has no tool "gone"`},
		"09.tools-call":                passed(),
		"10.resources-list":            {reporters.NotApplicable, "the peer has no resources"},
		"11.tools-call":                {reporters.NotVerified, "its request holds a value that was redacted"},
		"12.tools-call":                {reporters.NotVerified, "the fixture holds no answer to it"},
		"13.notifications-cancelled":   passed(),
		"14.ping":                      passed(),
		"15.invalid":                   {reporters.NotVerified, "the client sent what is no message"},
	}
}

func TestReplayOfAFaithfulServer(t *testing.T) {
	s := faithful()
	script := load(t, "a Pack", fixture(t, fixtures.MCP, frames(recorded)), replay.Options{})
	target, err := replay.MCP(script, s.config())
	if err != nil {
		t.Fatal(err)
	}
	cases := target.Cases()
	if cases[4].ID != "replay.a-pack.05.tools-call" || cases[4].Title != "tools/call of look is answered as recorded" {
		t.Errorf("case %q, %q", cases[4].ID, cases[4].Title)
	}
	expect(t, run(t, target), asRecorded())

	if len(s.said("tools/call")) != 4 { // twice with an answer, the unknown one, and the slow one
		t.Errorf("calls: %q", s.said("tools/call"))
	}
	if calls := target.Calls(); len(calls) != 2 || calls[0].Tool != "look" || calls[0].Count != 3 || calls[0].Why != "replay of a Pack" {
		t.Errorf("calls in the books: %+v", calls)
	}
	initialize := s.said("initialize")[1] // the first is the survey's
	if !strings.Contains(initialize, `"capabilities":{"roots":{}}`) {
		t.Errorf("the capabilities of the recorded client are not declared: %s", initialize)
	}
	slow := wire.Parse([]byte(s.said("tools/call")[3]))
	if !slow.ID.IsNumber() || slow.ID.String() == "16" {
		t.Errorf("the id %s is that of the recording, or not a number", slow.ID)
	}
	if got, want := s.said("notifications/cancelled")[0], `"requestId":`+slow.ID.String(); !strings.Contains(got, want) {
		t.Errorf("cancelled %s, want %s", got, want)
	}
	if first := wire.Parse([]byte(s.said("tools/call")[0])); !first.ID.IsString() {
		t.Errorf("the id %s was a string when it was recorded", first.ID)
	}
	traces := target.Traces()
	if len(traces) != 2 || len(traces[1].Frames) < 20 {
		t.Errorf("%d traces", len(traces))
	}
}

func TestAllowedToolsAreCalled(t *testing.T) {
	config := faithful().config()
	config.AllowTools = []string{"wipe"}
	want := asRecorded()
	want["07.tools-call"] = result{reporters.Failed, "/error: expected nothing, got object"}
	expect(t, play(t, recorded, config, replay.Options{}), want)
}

// play runs the recorded lines against a server.
func play(t *testing.T, lines string, config replay.MCPConfig, o replay.Options) map[string]result {
	t.Helper()
	target, err := replay.MCP(load(t, "test", fixture(t, fixtures.MCP, frames(lines)), o), config)
	if err != nil {
		t.Fatal(err)
	}
	return run(t, target)
}

// TestReplayOfAChangedServer changes one answer each, and wants one case to fail.
func TestReplayOfAChangedServer(t *testing.T) {
	const missed = "the peer gave no cursor (cursor-1) at /result/nextCursor of the answer that frame 5"
	for name, tc := range map[string]struct {
		change func(m wire.Message, lines []string) []string
		want   map[string]result
	}{
		"a member of a tool gone": {
			when("tools/list", "annotations", `,"annotations":{"readOnlyHint":true}`, ``),
			map[string]result{
				"03.tools-list": {reporters.Failed, "/result/tools/0/annotations: expected object, got nothing"},
				"05.tools-call": {reporters.NotVerified, "the tool look is not marked read-only"},
				"06.tools-call": {reporters.NotVerified, "the tool look is not marked read-only"},
				"11.tools-call": {reporters.NotVerified, "the tool look is not marked read-only"},
				"12.tools-call": {reporters.NotVerified, "the tool look is not marked read-only"},
				// which refers to a request that was not sent
				"13.notifications-cancelled": {reporters.NotVerified, "the peer gave no id"},
			},
		},
		"no second page": {
			when("tools/list", "nextCursor", `,"nextCursor":"live"`, ``),
			map[string]result{
				"04.tools-list": {reporters.NotVerified, missed},
				"07.tools-call": {reporters.NotApplicable, `the peer has no tool "wipe"`},
			},
		},
		"a content block of another type": {
			when("tools/call", "words", `"type":"text"`, `"type":"note"`),
			map[string]result{"05.tools-call": {reporters.Failed, `/result/content/0/type: expected "text", got "note"`}},
		},
		"no error any more": {
			when("tools/call", "isError", `"isError":true`, `"isError":false`),
			map[string]result{"06.tools-call": {reporters.Failed, "/result/isError: expected true, got false"}},
		},
		"another code": {
			when("tools/call", "-32602", `-32602`, `-32601`),
			map[string]result{"09.tools-call": {reporters.Failed, "/error/code: expected -32602, got -32601"}},
		},
		"progress that falls": {
			when("tools/call", "progress", `"progress":5`, `"progress":50`),
			map[string]result{"05.tools-call": {reporters.Failed, `"progress":50`}},
		},
		"no progress": {
			func(m wire.Message, lines []string) []string { return lines[max(0, len(lines)-1):] },
			map[string]result{"05.tools-call": {reporters.Failed, "the whole: expected 2 messages, got none"}},
		},
		"another name": { // the shape is the same
			when("initialize", "serverInfo", `"name":"s"`, `"name":"t"`), nil,
		},
		"a capability more": {
			when("initialize", "serverInfo", `"tools":{}`, `"tools":{"listChanged":true}`),
			map[string]result{"01.initialize": {reporters.Failed, "/result/capabilities/tools/listChanged: expected nothing, got true"}},
		},
		"no answer to ping": {
			func(m wire.Message, lines []string) []string {
				if m.Method == "ping" {
					return []string{`{"jsonrpc":"2.0","id":"another","result":{}}`}
				}
				return lines
			},
			map[string]result{"14.ping": {reporters.Failed, "context deadline exceeded"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := faithful()
			answer := s.answer
			s.answer = func(m wire.Message) []string { return tc.change(m, answer(m)) }
			want := asRecorded()
			for id, r := range tc.want {
				want[id] = r
			}
			expect(t, play(t, recorded, s.config(), replay.Options{}), want)
		})
	}
}

// when changes the lines that answer the method and have the mark in them.
func when(method, mark, old, new string) func(wire.Message, []string) []string {
	return func(m wire.Message, lines []string) []string {
		for i, line := range lines {
			if m.Method == method && strings.Contains(line, mark) {
				lines[i] = strings.Replace(line, old, new, 1)
			}
		}
		return lines
	}
}
