package a2achat_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/peerwright/peerwright/bridge/a2achat"
)

// corpus are answers as agents give them, each in the pieces in which it comes.
func corpus() map[string][]string {
	r := rand.New(rand.NewPCG(1, 2))
	var noise strings.Builder
	for noise.Len() < 5<<20 {
		noise.WriteString([]string{"plain text ", "ünïcödé ", "👩‍👩‍👧‍👦", "\n\n", "\t", "`x`", "\\", "\"", "</script>", "\u2028"}[r.IntN(10)])
	}
	long := noise.String()
	var chunks []string
	for rest := long; rest != ""; {
		n := min(len(rest), 1+r.IntN(64<<10))
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n++
		}
		chunks, rest = append(chunks, rest[:n]), rest[n:]
	}
	return map[string][]string{
		"markdown":        {"# Title\n\n- one\n- *two*\n", "\n| a | b |\n|---|---|\n| 1 | ", "2 |\n"},
		"code":            {"```go\nfunc main", "() {\n\tfmt.Println(\"`\")\n}\n`", "``\n"},
		"CRLF":            {"one\r", "\ntwo\r\n\r", "\n\rthree\r"},
		"spaces":          {"  lead", "ing ", " and trail", "ing  \n", "\n"},
		"empty parts":     {"", "[", "", "THE X]\n\n", " need", ""},
		"only newlines":   {"\n", "\n\n"},
		"emoji":           {"👩\u200d", "👩\u200d👧", " 🇩", "🇪 e", "\u0301"},
		"control":         {"\x01\x02\x1f\x7f\u0085\u2028\u2029\ufeff"},
		"HTML":            {"<b>&amp;</b><script>alert('x')</", "script>"},
		"JSON in text":    {`{"a": "\u00e9\n"`, `, "b": [1, 2.50, 1e400]}`},
		"SSE in text":     {"data: [DONE]\n\n", "event: x\ndata: {}\n\n: comment\n"},
		"notes' wrapping": {"_not a note_\n", "\n_really_"},
		"one long line":   {strings.Repeat("x", 300_000)},
		"5 MiB":           chunks,
		"5 MiB at once":   {long},
	}
}

func TestTextIsTheAgentsByteForByte(t *testing.T) {
	for name, pieces := range corpus() {
		t.Run(name, func(t *testing.T) {
			want := strings.Join(pieces, "")
			s := newScript(t, func(w http.ResponseWriter, c call) {
				if c.Method == "message/send" {
					c.result(w, task("ctx", "completed", artifact("a", parts(pieces...))))
					return
				}
				c.events(w, statusEvent("ctx", object{"state": "working"}, false))
				for i, p := range pieces {
					e := artifactEvent("ctx", artifact("a", parts(p)))
					if e["append"] = i > 0; i == len(pieces)-1 {
						e["lastChunk"] = true
					}
					c.events(w, e)
				}
				c.events(w, completed("ctx"))
			})
			modes := []a2achat.StreamMode{a2achat.Auto, a2achat.Blocking}
			if len(want) > 1<<20 {
				modes = modes[:1] // the other one differs in nothing that grows
			}
			for _, mode := range modes {
				b := bridgeTo(t, s, func(c *a2achat.AgentConfig) { c.StreamMode = mode })
				for i, a := range both(t, b, func() object { return user("hi") }) {
					if a.content != want {
						t.Errorf("%s, streamed %v: %s", mode, i == 1, difference(a.content, want))
					}
				}
			}
		})
	}
}

// difference shows where two texts part.
func difference(got, want string) string {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	cut := func(s string) string { return s[max(0, at-10):min(len(s), at+20)] }
	return fmt.Sprintf("%d and %d bytes, which part at %d: got %q, want %q", len(got), len(want), at, cut(got), cut(want))
}

func TestEmojiThatIsCutBetweenItsHalves(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i, half := range []string{`\ud83d`, `\ude00`} {
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"kind":"artifact-update","taskId":"t","contextId":"c","append":%v,`+
				`"artifact":{"artifactId":"a","parts":[{"kind":"text","text":"%s"}]}}}`+"\n\n", c.ID, i > 0, half)
		}
		c.events(w, object{"kind": "status-update", "taskId": "t", "contextId": "c", "final": true, "status": object{"state": "completed"}})
	})
	for _, a := range both(t, bridgeTo(t, s), func() object { return user("hi") }) {
		if a.content != "😀" {
			t.Errorf("%q", a.content)
		}
	}
}
