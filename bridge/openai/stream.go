package openai

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// piece is how many bytes of text one event carries at most: there are clients that
// read lines of a bounded length.
const piece = 32 << 10

// stream sends an answer as server-sent events, each as soon as it is there, and a
// comment whenever there was none for a while.
//
// https://platform.openai.com/docs/api-reference/chat-streaming
type stream struct {
	w       http.ResponseWriter
	flush   func() error
	extra   *Header
	head    head
	silence time.Duration // between comments; 0 for none
	usage   bool          // the client wants a chunk with the usage

	mu     sync.Mutex // over all below: comments come from another goroutine
	buf    []byte     // the events that are being written
	held   string     // the beginning of a character whose rest has not come
	calls  int        // tool calls sent so far
	opened bool       // the heads were sent
	spoken bool       // the role was sent
	ended  bool
	err    error // the first that writing met
	timer  *time.Timer
}

// start begins to watch for silence.
func (s *stream) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silence > 0 {
		s.timer = time.AfterFunc(s.silence, s.keepAlive)
	}
}

func (s *stream) keepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.buf = append(s.buf, ": keep-alive\n\n"...)
		_ = s.send() // it is kept for the next piece to find
	}
}

func (s *stream) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

func (s *stream) text(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != "" {
		text = s.held + text
	}
	cut := whole(text)
	text, s.held = text[:cut], text[cut:]
	for text != "" && s.err == nil {
		n := len(text)
		if n > piece {
			n = whole(text[:piece])
		}
		s.content(text[:n])
		_ = s.send() // s.err
		text = text[n:]
	}
	return s.err
}

// content adds an event with a piece of text.
func (s *stream) content(text string) {
	s.role()
	s.begin()
	s.buf = appendString(append(s.buf, `{"content":`...), text)
	s.rest(`},"logprobs":null,"finish_reason":null}]`)
}

func (s *stream) toolCalls(calls []ToolCall) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(calls) == 0 {
		return s.err
	}
	s.role()
	for _, c := range calls {
		s.begin()
		s.buf = append(s.buf, `{"tool_calls":[`...)
		s.buf = appendCall(s.buf, s.calls, c)
		s.rest(`]},"logprobs":null,"finish_reason":null}]`)
		s.calls++
	}
	return s.send()
}

func (s *stream) finish(reason string, u Usage, extras []wire.Member) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != "" {
		s.content(s.held) // its rest never came
		s.held = ""
	}
	s.role()
	s.begin()
	s.buf = append(s.buf, `{},"logprobs":null,"finish_reason":`...)
	s.buf = append(appendString(s.buf, reason), `}]`...)
	s.buf = appendExtras(s.buf, extras)
	s.rest("")
	if s.usage {
		s.buf = s.head.appendHead(append(s.buf, "data: "...), "chat.completion.chunk")
		s.buf = appendUsage(append(s.buf, `,"choices":[]`...), u)
		s.buf = append(s.buf, "}\n\n"...)
	}
	s.buf = append(s.buf, "data: [DONE]\n\n"...)
	err := s.send()
	s.end()
	return err
}

// stop ends the comments, and tells whether anything was sent.
func (s *stream) stop() (begun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	return s.opened
}

// fail adds an error to a stream that was stopped. Neither a reason to finish nor [DONE]
// follows, so that what was cut cannot be taken for whole.
func (s *stream) fail(envelope json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = append(append(append(s.buf[:0], "data: "...), envelope...), "\n\n"...)
	return s.send()
}

// role adds the event that says who speaks, if none was sent yet.
func (s *stream) role() {
	if s.spoken {
		return
	}
	s.spoken = true
	s.begin()
	s.rest(`{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}]`)
}

// begin adds the beginning of a chunk, up to its delta.
func (s *stream) begin() {
	s.buf = s.head.appendHead(append(s.buf, "data: "...), "chat.completion.chunk")
	s.buf = append(s.buf, `,"choices":[{"index":0,"delta":`...)
}

// rest adds the end of a chunk. Where the usage comes in a chunk of its own, it is null
// in all others.
func (s *stream) rest(text string) {
	s.buf = append(s.buf, text...)
	if s.usage {
		s.buf = append(s.buf, `,"usage":null`...)
	}
	s.buf = append(s.buf, "}\n\n"...)
}

func (s *stream) end() {
	s.ended = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// send writes what was added to the client, now.
func (s *stream) send() error {
	if s.err != nil {
		return s.err
	}
	if !s.opened {
		s.open()
	}
	if _, s.err = s.w.Write(s.buf); s.err == nil {
		s.err = s.flush()
	}
	s.buf = s.buf[:0]
	if s.timer != nil && !s.ended {
		s.timer.Reset(s.silence)
	}
	return s.err
}

// open sends the heads.
func (s *stream) open() {
	s.opened = true
	h := s.w.Header()
	s.extra.copyTo(h)
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // a proxy that gathers the answer breaks the stream
	s.w.WriteHeader(http.StatusOK)
}
