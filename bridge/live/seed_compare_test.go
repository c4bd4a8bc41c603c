package live_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestSeedShapes asks a2a-bridge and ours the same of the same agents: what ours shows is
// right, and what a2a-bridge shows is the same unless the shape says why it is not.
func TestSeedShapes(t *testing.T) {
	theirs, ours, agents := pair(t)
	differences := &table{}
	for _, s := range shapes() {
		for _, ask := range []struct {
			model     string
			stream    bool
			want, gap string
		}{
			{"block", false, s.block, s.blockGap},
			{"block", true, s.block, s.blockGap},
			{"held", true, strings.Replace(s.block, "First.\n\nSecond.", "First. | Second.", 1), s.blockGap},
			{"stream", false, quiet(s.stream), orElse(s.onceGap, s.blockGap)},
			{"stream", true, s.stream, s.streamGap},
			{"quiet", true, quiet(s.stream), s.streamGap},
		} {
			name := fmt.Sprintf("%s of %s%s", s.name, ask.model, map[bool]string{true: ", streamed"}[ask.stream])
			key := []string{"Authorization", "Bearer " + seedKey, "X-Conversation-Id", name}
			got := mustChat(t, ours.url, said(ask.model, s.name, ask.stream), key...)
			other := mustChat(t, theirs.url, said(ask.model, s.name, ask.stream), key...)
			if want := strings.ReplaceAll(ask.want, "NAME", ask.model); !right(got.text, want) || got.status != http.StatusOK || got.finish != "stop" || got.done != ask.stream {
				t.Errorf("%s: ours shows %q, want %q (%s)", name, got.text, want, got.raw)
			}
			same := other.text == got.text && other.status == got.status && other.finish == got.finish
			switch {
			case same && ask.gap != "":
				t.Errorf("%s: both show %q, though %q", name, got.text, ask.gap)
			case !same && ask.gap == "":
				t.Errorf("%s: a2a-bridge shows %q, ours %q", name, other.text, got.text)
			case !same:
				named := strings.NewReplacer(" "+ask.model+" ", " NAME ", " "+ask.model+":", " NAME:", "/block/", "/NAME/", "/stream/", "/NAME/")
				differences.line(name, named.Replace(other.text), named.Replace(got.text), ask.gap)
			}
		}
	}
	differences.compare(t, "seed-shapes.golden", agents.URL, "AGENT")
}

// right tells whether a text is the one that is wanted; one that ends openly is the
// beginning.
func right(got, want string) bool {
	if strings.HasSuffix(want, "(") || strings.HasSuffix(want, ": ") {
		return strings.HasPrefix(got, want)
	}
	return got == want
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// quiet is an answer without its notes.
func quiet(text string) string {
	return strings.TrimPrefix(text, "_Searching…_\n_Reading…_\n\n")
}

// TestSeedMapping asks both for what reaches the agent: the newest message of the user
// alone, its texts joined with nothing, who asks, and the headers that are always sent.
func TestSeedMapping(t *testing.T) {
	theirs, ours, agents := pair(t)
	long := said("stream", "", true)
	long["messages"] = []object{
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": "echo the first"},
		{"role": "assistant", "content": "An answer."},
		{"role": "user", "content": []object{{"type": "text", "text": "echo "}, {"type": "text", "text": "the newest"}}},
		{"role": "assistant", "content": "echo begun"},
	}
	for _, r := range []*running{theirs, ours} {
		got := mustChat(t, r.url, long, "Authorization", "Bearer "+seedKey, "X-Caller-Id", "ann@example.org")
		if got.text != "echo the newest" {
			t.Errorf("%q", got.raw)
		}
	}
	both := agents.heardOf()
	if len(both) != 2 {
		t.Fatalf("%d messages reached the agent", len(both))
	}
	for _, name := range []string{"X-Caller-Id", "X-Caller-Auth", "X-Static"} {
		if a, b := both[0].header.Get(name), both[1].header.Get(name); a != b || a == "" {
			t.Errorf("%s: a2a-bridge sends %q, ours %q", name, a, b)
		}
	}
	if n := len(both[0].header.Get("X-Caller-Auth")); n != 16 {
		t.Errorf("the signature has %d digits", n)
	}
}

// TestSeedSessions has conversations of two turns, named in each of the ways.
func TestSeedSessions(t *testing.T) {
	theirs, ours, agents := pair(t)
	for _, named := range []struct {
		how  string
		head []string
		body object
	}{
		{"header", []string{"X-Conversation-Id", "by header"}, nil},
		{"conversation_id", nil, object{"conversation_id": "by body"}},
		{"user", nil, object{"user": "ann"}},
		{"header before the others", []string{"X-Conversation-Id", "first"}, object{"conversation_id": "not this", "user": "nor this"}},
	} {
		for _, stream := range []bool{false, true} {
			for _, r := range []*running{theirs, ours} {
				before := len(agents.heardOf())
				for range 2 {
					q := said("stream", "echo "+named.how, stream)
					for name, value := range named.body {
						q[name] = value
					}
					got := mustChat(t, r.url, q, append([]string{"Authorization", "Bearer " + seedKey}, named.head...)...)
					if got.text != "echo "+named.how {
						t.Errorf("%s: %q", named.how, got.raw)
					}
				}
				two := agents.heardOf()[before:]
				if two[0].context != two[1].context || two[1].nth != two[0].nth+1 {
					t.Errorf("%s of %s, stream %v: contexts %q and %q", named.how, r.url, stream, two[0].context, two[1].context)
				}
			}
		}
	}
	seedSessionless(t, theirs, ours, agents)
}

// seedSessionless is a conversation that nobody named. With a2a-bridge the agent forgets
// it; ours names it.
func seedSessionless(t *testing.T, theirs, ours *running, agents *scripted) {
	key := []string{"Authorization", "Bearer " + seedKey}
	for _, r := range []*running{theirs, ours} {
		before := len(agents.heardOf())
		first := mustChat(t, r.url, said("block", "echo one", false), key...)
		mustChat(t, r.url, said("block", "echo two", false), append(key, "X-Conversation-Id", first.header.Get("X-Conversation-Id"))...)
		two := agents.heardOf()[before:]
		if remembers := two[0].context == two[1].context; remembers != (r == ours) {
			t.Errorf("%s: the agent remembers: %v", r.url, remembers)
		}
	}
}

// TestSeedPrograms asks an agent whose failures are told by the HTTP status.
func TestSeedPrograms(t *testing.T) {
	theirs, ours, agents := pair(t)
	differences := &table{}
	for _, s := range failures() {
		if s.name == "cut" {
			continue // it is about streams
		}
		key := []string{"Authorization", "Bearer " + seedKey}
		other := mustChat(t, theirs.url, said("program", s.name, false), key...)
		got := mustChat(t, ours.url, said("program", s.name, false), key...)
		if got.status < 400 || got.text != "" || !right(got.inMessage(), strings.ReplaceAll(s.block, "NAME", "program")) && s.name != "half" {
			t.Errorf("%s: %d %s", s.name, got.status, got.raw)
		}
		if s.name == "busy" && (got.header.Get("Retry-After") != "2" || got.header.Get("X-Should-Retry") != "false") {
			t.Errorf("%s: headers %v", s.name, got.header)
		}
		differences.line(s.name, fmt.Sprint(other.status, " ", other.inMessage()), fmt.Sprint(got.status, " ", got.inMessage()), s.blockGap)
	}
	differences.compare(t, "seed-programs.golden", agents.URL, "AGENT")
}

// TestSeedSurface asks both for what is no chat, and for what is wrong in the request.
func TestSeedSurface(t *testing.T) {
	theirs, ours, agents := pair(t)
	differences := &table{}
	const envelope = "its errors have not the envelope that clients read"
	right, hello := "Bearer "+seedKey, marshalled(said("stream", "echo", false))
	for _, c := range []struct {
		what, method, path, body, auth string
		theirs, ours                   int
		why                            string // they answer otherwise
	}{
		{"health", "GET", "/healthz", "", "", 200, 200, "it names its agents to whoever asks"},
		{"models", "GET", "/v1/models", "", right, 200, 200, "a client wants to know when a model was made"},
		{"a chat", "POST", "/v1/chat/completions", hello, right, 200, 200, ""},
		{"a chat with the second key", "POST", "/v1/chat/completions", hello, "Bearer another", 200, 200, ""},
		{"no key", "GET", "/v1/models", "", "", 401, 401, envelope},
		{"a wrong key", "POST", "/v1/chat/completions", hello, "Bearer wrong", 401, 401, envelope},
		{"an empty key", "POST", "/v1/chat/completions", hello, "Bearer ", 401, 401, envelope},
		{"a key without its scheme", "POST", "/v1/chat/completions", hello, seedKey, 200, 401, "it takes a key without its scheme"},
		{"an unknown model", "POST", "/v1/chat/completions", marshalled(said("nobody", "hi", false)), right, 404, 404, envelope},
		{"no message of the user", "POST", "/v1/chat/completions", `{"model":"stream","messages":[]}`, right, 400, 400, envelope},
		{"no messages", "POST", "/v1/chat/completions", `{"model":"stream"}`, right, 400, 400, envelope},
		{"no JSON", "POST", "/v1/chat/completions", `{"model":`, right, 500, 400, "what is wrong in a request is a failure of its own"},
		{"no object", "POST", "/v1/chat/completions", `[]`, right, 500, 400, "what is wrong in a request is a failure of its own"},
		{"an agent that is gone", "POST", "/v1/chat/completions", marshalled(said("gone", "hi", false)), right, 200, 200, ""},
	} {
		head := []string{"Connection", "close"} // a2a-bridge cuts the connection after a failure of its own
		if c.auth != "" {
			head = append(head, "Authorization", c.auth)
		}
		other, err := ask(c.method, theirs.url+c.path, c.body, head...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ask(c.method, ours.url+c.path, c.body, head...)
		if err != nil {
			t.Fatal(err)
		}
		if other.status != c.theirs || got.status != c.ours {
			t.Errorf("%s: a2a-bridge answers %d, ours %d; want %d and %d: %s", c.what, other.status, got.status, c.theirs, c.ours, got.body)
		}
		if c.path != "/v1/chat/completions" || got.status != http.StatusOK {
			differences.line(c.what, fmt.Sprint(other.status, " ", string(other.body)), fmt.Sprint(got.status, " ", string(got.body)), c.why)
		}
	}
	differences.compare(t, "seed-surface.golden", agents.URL, "AGENT")
}
