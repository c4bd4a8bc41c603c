package live_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// chatted is what a chat client understood of an answer.
type chatted struct {
	status int
	header http.Header
	text   string // of the answer, all deltas of a stream together
	finish string
	done   bool // a stream ended with [DONE]
	sse    bool
	raw    string
}

// inMessage returns the text of an error, in whatever envelope it came.
func (c chatted) inMessage() string {
	for _, path := range [][]string{{"error", "message"}, {"detail"}} {
		if s, ok := wire.Text(wire.Path([]byte(c.raw), path...)); ok {
			return s
		}
	}
	return c.raw
}

// said returns a request with one message of the user.
func said(model, text string, stream bool) object {
	return object{"model": model, "stream": stream, "messages": []object{{"role": "user", "content": text}}}
}

// chat posts a request to an OpenAI-compatible endpoint; head is pairs of names and values.
func chat(ctx context.Context, url string, request object, head ...string) (chatted, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return chatted{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return chatted{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return chatted{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	c := chatted{status: resp.StatusCode, header: resp.Header, raw: string(raw)}
	c.sse = strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	c.read()
	return c, err
}

func mustChat(t testing.TB, url string, request object, head ...string) chatted {
	t.Helper()
	c, err := chat(t.Context(), url, request, head...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// read takes the answer apart as a client does: pieces of text one after another.
func (c *chatted) read() {
	var text strings.Builder
	take := func(raw string) {
		var d struct {
			Choices []struct {
				Message, Delta struct{ Content string }
				FinishReason   string `json:"finish_reason"`
			}
		}
		_ = json.Unmarshal([]byte(raw), &d) // what is none of this has no text
		for _, choice := range d.Choices {
			text.WriteString(choice.Message.Content + choice.Delta.Content)
			c.finish += choice.FinishReason
		}
	}
	if !c.sse {
		take(c.raw)
	}
	for line := range strings.SplitSeq(c.raw, "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		switch {
		case !c.sse || !ok:
		case data == "[DONE]":
			c.done = true
		default:
			take(data)
		}
	}
	c.text = text.String()
}
