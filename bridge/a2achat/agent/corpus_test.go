package agent

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// corpus is what agents say, byte for byte.
func corpus() map[string]string {
	return map[string]string{
		"markdown":    "# Title\n\n- a\n- b\n\n> quote _it_ **b** `c`\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n",
		"code fence":  "```go\nfunc main() {\n\tfmt.Println(\"<hi> & \\\"you\\\"\")\n}\n```",
		"emoji":       "👩‍👩‍👧‍👦 and 🇩🇪, é as e\u0301, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
		"CRLF":        "one\r\ntwo\rthree\n\r\n\n",
		"blank":       "  \n\t ",
		"separators":  "a\u2028b\u2029c\u0085d\u00a0e\ufefff",
		"controls":    "\x00\x01\x1b[31mred\x7f\b\f",
		"like frames": "data: x\n\nevent: y\n: comment\n\n[DONE]",
		"5 MiB":       strings.Repeat("0123456789 äöü 👩‍🍳\r\n", 5<<20/32),
	}
}

// tooLarge tells whether the text need not be cut that way too: it takes its time.
func tooLarge(text string, pieces int) bool { return len(text) > 1<<20 && pieces == 3 }

// TestBytes sends each text whole, in three pieces, and in very small ones: what is
// told is what was sent.
func TestBytes(t *testing.T) {
	for name, text := range corpus() {
		for _, pieces := range []int{1, 3, 2000} {
			if tooLarge(text, pieces) {
				continue
			}
			chunks := cutUTF16(text, pieces)
			for _, d := range dialects() {
				t.Run(fmt.Sprintf("%s/%s/%d", d, name, pieces), func(t *testing.T) {
					s := serve(t, d, true, map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: func(r request) { r.streamText(chunks) }})
					h := send(t, s.agent(t), hello())
					if h.err != nil {
						t.Fatal(h.err)
					}
					if h.text() != text || h.answer() != text {
						t.Errorf("%d bytes were told, %d stand in the answer, %d were sent", len(h.text()), len(h.answer()), len(text))
					}
					if len(text) > 1<<20 && pieces > 1000 && len(h.updates) < pieces/2 {
						t.Errorf("%d pieces came as %d updates: the stream was held up", pieces, len(h.updates))
					}
				})
			}
		}
	}
}

// TestBytesInACall is the same without a stream.
func TestBytesInACall(t *testing.T) {
	for _, d := range dialects() {
		for name, text := range corpus() {
			s := serve(t, d, false, map[a2ahttp.Op]handler{a2ahttp.SendMessage: func(r request) {
				r.answer(d.taskEvent(d.status(Completed), artifact("a", d.parts(text[:len(text)/2], "", text[len(text)/2:]))))
			}})
			h := send(t, s.agent(t), hello())
			want := text
			if half := len(text) / 2; !isBoundary(text, half) { // the server's encoder cannot send half a character
				want = strings.ToValidUTF8(text[:half], "\ufffd") + strings.ToValidUTF8(text[half:], "\ufffd")
			}
			if h.err != nil || h.answer() != want {
				t.Errorf("%s, %s: %d bytes of %d, error %v", d, name, len(h.answer()), len(want), h.err)
			}
		}
	}
}

func isBoundary(s string, at int) bool { return at == len(s) || s[at]&0xC0 != 0x80 }

// streamText sends chunks of JSON text as one artifact.
func (r request) streamText(chunks [][]byte) {
	r.stream()
	for i, c := range chunks {
		marker := "\x1fthe text goes here"
		raw := r.frame(r.d.chunkEvent(artifact("a", r.d.parts(marker)), object{"append": i > 0, "lastChunk": i == len(chunks)-1}))
		raw = bytes.Replace(raw, wire.Quote(marker), append(append([]byte{'"'}, c...), '"'), 1)
		fmt.Fprintf(r.w, "data: %s\n\n", raw)
	}
	r.stream(r.d.statusEvent(r.d.status(Completed), true))
}

// cutUTF16 cuts text as JavaScript does, between any two units, and writes each piece
// as the inside of a JSON string: half a pair is an escape.
func cutUTF16(text string, pieces int) [][]byte {
	var units [][]byte
	for _, r := range text {
		switch {
		case r > 0xFFFF:
			hi, lo := 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF
			units = append(units, fmt.Appendf(nil, `\u%04x`, hi), fmt.Appendf(nil, `\u%04X`, lo))
		case r < 0x20 || r == '"' || r == '\\':
			units = append(units, fmt.Appendf(nil, `\u%04x`, r))
		default:
			units = append(units, []byte(string(r)))
		}
	}
	size := max(1, len(units)/pieces)
	var chunks [][]byte
	for len(units) > 0 {
		n := min(size, len(units))
		chunks = append(chunks, bytes.Join(units[:n], nil))
		units = units[n:]
	}
	return chunks
}

// TestRawBytes is an agent that cuts UTF-8 between any two bytes, and sends them as
// they are.
func TestRawBytes(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	text := "für 👩‍🍳"
	var chunks [][]byte
	for i := range len(text) {
		chunks = append(chunks, []byte{text[i]})
	}
	s := serve(t, d, true, map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: func(r request) { r.streamText(chunks) }})
	if h := send(t, s.agent(t), hello()); h.err != nil || h.text() != text {
		t.Errorf("told %q, error %v", h.text(), h.err)
	}
}

func TestHalvesThatStayAlone(t *testing.T) {
	for quoted, want := range map[string]string{
		`"\ud83d"`:                   "\ufffd",
		`"a\ude00b"`:                 "a\ufffdb",
		`"\ud83d\ud83d\ude00"`:       "\ufffd😀",
		`"\ud83dx\ude00"`:            "\ufffdx\ufffd",
		`"\"\\\/\b\f\n\r\t\u00e9 ퟿"`: "\"\\/\b\f\n\r\té ퟿",
	} {
		if got := plain(unquote([]byte(quoted))); got != want {
			t.Errorf("%s: %q, want %q", quoted, got, want)
		}
	}
}
