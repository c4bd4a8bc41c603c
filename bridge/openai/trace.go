package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/peerwright/peerwright/internal/redact"
)

// Trace shows each request beside what became of it upstream, without secrets, for
// whoever looks for a fault. The block of one request is written at once.
type Trace struct {
	redact *redact.Redactor
	mu     sync.Mutex // over w
	w      io.Writer
}

// NewTrace returns a trace that writes to w, without the secrets that r finds.
func NewTrace(w io.Writer, r *redact.Redactor) *Trace { return &Trace{redact: r, w: w} }

// Calls takes what a backend sends upstream for one request. It may be used by several
// goroutines; a nil *Calls takes nothing.
type Calls struct {
	mu       sync.Mutex
	protocol string
	sent     []string // as name(arguments)
	answers  []called
	trace    *Trace
}

// called is an answer, and the number of the call that it is to.
type called struct {
	call int
	body []byte
}

// Call adds a call: of which protocol (MCP, A2A), to what (the name of a tool or a
// method), and what is sent. The function it returns adds what comes back, once for each
// piece of it: a result, or a failure as the envelope of errclass.Error. The bytes are
// read at once and may be reused.
func (c *Calls) Call(protocol, name string, request []byte) (answer func(body []byte)) {
	if c == nil {
		return func([]byte) {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.protocol = protocol
	c.sent = append(c.sent, name+"("+c.trace.clean(request)+")")
	call := len(c.sent)
	return func(body []byte) {
		text := []byte(c.trace.clean(body))
		c.mu.Lock()
		defer c.mu.Unlock()
		c.answers = append(c.answers, called{call, text})
	}
}

// traced is one request that is traced; nil where nothing is.
type traced struct {
	trace    *Trace
	request  []byte
	upstream *Calls
}

func (t *Trace) begin(body []byte) *traced {
	if t == nil {
		return nil
	}
	return &traced{trace: t, request: body, upstream: &Calls{trace: t}}
}

func (t *traced) calls() *Calls {
	if t == nil {
		return nil
	}
	return t.upstream
}

// failed writes the block of a request that was answered with a failure.
func (t *traced) failed(envelope []byte) {
	if t != nil {
		t.write(t.trace.clean(envelope))
	}
}

// ended writes the block of a request whose answer was d, or as much of it as came
// before it failed.
func (t *traced) ended(d *document, failed error) {
	if t == nil {
		return
	}
	var lines []string
	if d.w == nil && !d.whole && len(d.body)+len(d.calls)+len(d.others) > 0 {
		lines = append(lines, t.trace.clean(d.write("", Usage{}, nil)))
	}
	switch {
	case failed != nil:
		lines = append(lines, t.trace.clean(Envelope(failed)))
	case d.whole:
		lines = append(lines, t.trace.clean(d.body))
	default:
		lines = append(lines, "(cut: the client is gone)")
	}
	t.write(lines...)
}

// write writes the four sections.
func (t *traced) write(response ...string) {
	t.upstream.mu.Lock()
	defer t.upstream.mu.Unlock()
	var b strings.Builder
	protocol := t.upstream.protocol
	if protocol == "" {
		protocol = "Upstream"
	}
	b.WriteString("═══ TRACE ═══\n")
	section(&b, "OpenAI Request", t.trace.clean(t.request))
	section(&b, protocol+" Request(s)", numbered(t.upstream.sent)...)
	section(&b, protocol+" Response(s)", t.upstream.lines()...)
	section(&b, "OpenAI Response", response...)
	text := strings.TrimSuffix(b.String(), "\n") + "═════════════\n"
	t.trace.mu.Lock()
	defer t.trace.mu.Unlock()
	_, _ = io.WriteString(t.trace.w, text) // who traces sees that nothing comes
}

func section(b *strings.Builder, title string, lines ...string) {
	fmt.Fprintf(b, "%s:\n", title)
	if len(lines) == 0 {
		lines = []string{"(none)"}
	}
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
	b.WriteByte('\n')
}

func numbered(lines []string) []string {
	if len(lines) < 2 {
		return lines
	}
	list := make([]string, len(lines))
	for i, line := range lines {
		list[i] = strconv.Itoa(i+1) + ". " + line
	}
	return list
}

// lines returns the answers, with the numbers of their calls where there are several.
func (c *Calls) lines() []string {
	var list []string
	for _, a := range c.answers {
		line := string(a.body)
		if len(c.sent) > 1 {
			line = strconv.Itoa(a.call) + ". " + line
		}
		list = append(list, line)
	}
	return list
}

// clean returns a payload on one line: without secrets first, and then with long strings
// cut, so that no part of a secret is left at a cut.
func (t *Trace) clean(payload []byte) string {
	var line bytes.Buffer
	if json.Valid(payload) {
		_ = json.Compact(&line, t.redact.JSON(payload)) // what it made of JSON is JSON
		return visible(cutStrings(line.Bytes()))
	}
	return visible(cut(string(t.redact.Text(payload))))
}

// visible escapes what a terminal would obey.
func visible(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
