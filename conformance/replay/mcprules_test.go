package replay_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

func TestStrictness(t *testing.T) {
	for strictness, want := range map[fixtures.Strictness]map[string]result{
		fixtures.Exact: {
			"05.tools-call": {reporters.Failed, `/result/content/0/text: expected "first", got "other words"`},
			"06.tools-call": {reporters.Failed, `/result/content/0/text: expected "second", got "x"`},
			"09.tools-call": {reporters.Failed, `/error/message: expected "unknown tool", got "no"`},
		},
		fixtures.Shape: {},
		fixtures.Class: {},
	} {
		t.Run(string(strictness), func(t *testing.T) {
			all := asRecorded()
			for id, r := range want {
				all[id] = r
			}
			expect(t, play(t, recorded, faithful().config(), replay.Options{Strictness: strictness}), all)
		})
	}
}

func TestAnotherRevision(t *testing.T) {
	s := faithful()
	answer := s.answer
	s.answer = func(m wire.Message) []string {
		lines := answer(m)
		for i := range lines {
			lines[i] = strings.Replace(lines[i], "2025-11-25", "2025-06-18", 1)
		}
		return lines
	}
	for id, r := range play(t, recorded, s.config(), replay.Options{}) {
		if r.status != reporters.NotApplicable || r.why != "the rule is not of revision 2025-06-18" {
			t.Errorf("%s: %s, %s", id, r.status, r.why)
		}
	}
}

// TestOneCaseAloneIsPlayedAfterWhatItNeeds runs the second page only.
func TestOneCaseAloneIsPlayedAfterWhatItNeeds(t *testing.T) {
	s := faithful()
	target, err := replay.MCP(load(t, "test", fixture(t, fixtures.MCP, frames(recorded)), replay.Options{}), s.config())
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, target, func(id string) bool { return id == "04.tools-list" })
	expect(t, got, map[string]result{"04.tools-list": passed()})
	if len(s.said("tools/call")) != 0 {
		t.Errorf("what comes after it was played too: %v", s.said("tools/call"))
	}
}

func TestTheServersOwnRequestsAreAnsweredAsRecorded(t *testing.T) {
	const lines = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"prompts/list"}
< {"jsonrpc":"2.0","id":"ask-1","method":"elicitation/create","params":{"message":"Sure?"}}
> {"jsonrpc":"2.0","id":"ask-1","result":{"action":"accept"}}
< {"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}
`
	var waiting wire.Message
	s := &server{}
	s.answer = func(m wire.Message) []string {
		switch {
		case m.Method == "initialize":
			return []string{hello}
		case m.Method == "prompts/list":
			waiting = m
			return []string{`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":"Sure?"}}`, `{"jsonrpc":"2.0","id":6,"method":"roots/list"}`}
		case m.Kind == wire.KindError && m.ID.String() == "6": // the replay's client has no roots
			return nil
		case m.Kind == wire.KindResult && m.ID.String() == "5" && string(m.Result) == `{"action":"accept"}`:
			return []string{`{"jsonrpc":"2.0","id":` + waiting.ID.String() + `,"result":{"prompts":[]}}`}
		}
		return nil
	}
	expect(t, play(t, lines, s.config(), replay.Options{}), map[string]result{
		"1.initialize": passed(), "2.notifications-initialized": passed(), "3.prompts-list": passed(),
	})
}

func TestAServerThatDies(t *testing.T) {
	config := faithful().config()
	answer := faithful().answer
	config.Dial = func(_ context.Context, tap wire.Tap) (transport.Conn, error) {
		return stdio.DialPipe(context.Background(), func(ctx context.Context, r io.Reader, w io.Writer) error {
			dead := make(chan struct{})
			dying := &server{answer: func(m wire.Message) []string {
				if m.Method == "ping" {
					close(dead)
					return nil
				}
				return answer(m)
			}}
			go func() { _ = dying.serve(ctx, r, w) }()
			select {
			case <-dead:
			case <-ctx.Done():
			}
			return nil
		}, transport.Options{Tap: tap}), nil
	}
	want := asRecorded()
	want["14.ping"] = result{reporters.Failed, "connection closed"}
	expect(t, play(t, recorded, config, replay.Options{}), want)
}

func TestWhatCannotBeLoaded(t *testing.T) {
	for name, f := range map[string]fixtures.Fixture{
		"no protocol":  {},
		"no exchanges": {Header: fixtures.Header{Protocol: fixtures.MCP}},
		"a strictness": {Header: fixtures.Header{Protocol: fixtures.MCP, Matchers: []fixtures.Matcher{{Path: "a"}}}},
	} {
		if _, err := replay.Load("x", f, replay.Options{}); err == nil || !strings.Contains(err.Error(), "fixture x: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	script := load(t, "x", fixture(t, fixtures.MCP, frames(recorded)), replay.Options{})
	if _, err := replay.A2A(script, replay.A2AConfig{}); err == nil {
		t.Error("an MCP fixture for an agent: no error")
	}
}
