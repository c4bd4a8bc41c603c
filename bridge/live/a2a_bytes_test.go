package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"
)

// corpus are answers in the pieces in which an agent sends them, as UTF-16: an agent on
// JavaScript may cut between the halves of a character.
func corpus() map[string][][]uint16 {
	cut := func(pieces ...string) [][]uint16 {
		var all [][]uint16
		for _, p := range pieces {
			all = append(all, utf16.Encode([]rune(p)))
		}
		return all
	}
	var noise strings.Builder
	for n := 0; noise.Len() < 5<<20; n++ {
		_, _ = fmt.Fprintf(&noise, "%d: plain, ünïcödé, 👩‍👩‍👧‍👦, `code`, \\ \" </script> \u2028\r\n\t", n)
	}
	return map[string][][]uint16{
		"markdown":    cut("# Title\n\n- one\n- *two*\n", "\n| a | b |\n|---|---|\n| 1 | ", "2 |\n"),
		"fences":      cut("```go\nfunc main", "() {\n\tfmt.Println(\"`\")\n}\n`", "``\n"),
		"crlf":        cut("one\r", "\ntwo\r\n\r", "\n\rthree\r"),
		"spaces":      cut("  lead", "ing ", " and trail", "ing  \n", "\n"),
		"empty":       cut("", "[", "", "THE X]\n\n", " need", ""),
		"joined":      cut("👩\u200d", "👩\u200d👧", " 🇩", "🇪 e", "\u0301"),
		"halves":      every(utf16.Encode([]rune("a😀👩‍👩‍👧‍👦 𝄞!")), 1),
		"control":     cut("\x01\x02\x1f\x7f\u0085\u2028\u2029\ufeff"),
		"events":      cut("data: [DONE]\n\n", "event: x\ndata: {}\n\n: comment\n"),
		"notes":       cut("_not a note_\n", "\n_really_"),
		"mebibytes":   every(utf16.Encode([]rune(noise.String())), 9973),
		"atOnce":      cut(noise.String()),
		"oneLongLine": cut(strings.Repeat("x", 300_000)),
	}
}

// every cuts into pieces of n units.
func every(units []uint16, n int) [][]uint16 {
	var all [][]uint16
	for len(units) > n {
		all, units = append(all, units[:n]), units[n:]
	}
	return append(all, units)
}

// whole is the text of the pieces.
func whole(pieces [][]uint16) string {
	var all []uint16
	for _, p := range pieces {
		all = append(all, p...)
	}
	return string(utf16.Decode(all))
}

// quoted is a piece as a JSON string, as JavaScript writes it: half a character as its
// escape.
func quoted(piece []uint16) string {
	var b strings.Builder
	for at := 0; at < len(piece); at++ {
		r := rune(piece[at])
		if utf16.IsSurrogate(r) && at+1 < len(piece) && utf16.DecodeRune(r, rune(piece[at+1])) != '\uFFFD' {
			r = utf16.DecodeRune(r, rune(piece[at+1]))
			at++
		}
		switch {
		case utf16.IsSurrogate(r):
			_, _ = fmt.Fprintf(&b, `\u%04x`, r)
		case r < ' ' || r == '"' || r == '\\':
			raw, _ := json.Marshal(string(r)) // a character always marshals
			b.Write(raw[1 : len(raw)-1])
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// further are the shapes that no other bridge is asked for.
func further() []shape {
	return []shape{
		{name: "count", answer: saying(func(h heard) string { return fmt.Sprintf("turn %d", h.nth) })},
		{name: "corpus", answer: func(w http.ResponseWriter, h heard) { inPieces(w, h, corpus()[strings.TrimPrefix(h.text, "corpus ")]) }},
		{name: "hold", answer: func(w http.ResponseWriter, h heard) {
			if h.nth == 1 { // the first turn has no end
				h.events(w, h.status(state("working", "Wait…")))
				<-h.gone
				return
			}
			answers(artifact("a", fmt.Sprintf("turn %d", h.nth)))(w, h)
		}},
	}
}

// inPieces answers with pieces: parts of a document, or events of a stream whose bytes go
// out in small pieces too, where there are few.
func inPieces(w http.ResponseWriter, h heard, pieces [][]uint16) {
	var parts, events []string
	for i, p := range pieces {
		part := `{"kind":"text","text":` + quoted(p) + `}`
		parts = append(parts, part)
		events = append(events, fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{"kind":"artifact-update","taskId":"task","contextId":%q,"append":%v,"lastChunk":%v,`+
			`"artifact":{"artifactId":"a","parts":[%s]}}}`+"\n\n", h.id, h.context, i > 0, i == len(pieces)-1, part))
	}
	if !h.stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"kind":"task","id":"task","contextId":%q,"status":{"state":"completed"},"artifacts":[{"artifactId":"a","parts":[%s]}]}}`,
			h.id, h.context, strings.Join(parts, ","))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	all := strings.Join(events, "")
	for step := 7; len(all) > step && len(all) < 10_000; all = all[step:] {
		_, _ = w.Write([]byte(all[:step]))
		w.(http.Flusher).Flush()
	}
	_, _ = w.Write([]byte(all))
	h.events(w, h.status(state("completed")))
}

// TestBytes holds that what a client puts together is what the agent said, through the
// program.
func TestBytes(t *testing.T) {
	agents := newScripted(t)
	b := bridge(t, nil, "--a2a", "stream="+agents.URL+"/stream/", "--a2a", "block="+agents.URL+"/block/")
	for name, pieces := range corpus() {
		want := whole(pieces)
		for _, model := range []string{"stream", "block"} {
			for _, stream := range []bool{true, false} {
				got := mustChat(t, b.url, said(model, "corpus "+name, stream))
				if got.text != want || got.finish != "stop" {
					t.Errorf("%s of %s, streamed %v: %d bytes, want %d: %.200q", name, model, stream, len(got.text), len(want), got.text)
				}
			}
		}
	}
}
