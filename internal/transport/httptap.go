package transport

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/peerwright/peerwright/internal/wire"
)

// wholeBody is how large a body that is not JSON may grow before it is shown in
// pieces: 1 MiB.
const wholeBody = 1 << 20

func (h *HTTP) see(f wire.Frame) { h.opts.Tap.See(f) }

// seeRequest shows the request as it goes out. Host, Content-Length and what else
// net/http writes by itself are not among the headers.
func (h *HTTP) seeRequest(n int, req *http.Request, body []byte) {
	if h.opts.Tap == nil {
		return
	}
	h.see(wire.Frame{
		Dir: wire.Out, Kind: wire.FrameRequest, Exchange: n,
		Method: req.Method, URL: bareURL(req.URL), Header: req.Header.Clone(),
	})
	if len(body) > 0 {
		h.see(wire.Frame{Dir: wire.Out, Kind: wire.FrameBody, Exchange: n, Data: bytes.Clone(body)})
	}
}

// watch shows the head of the answer, and then its body as the consumer reads it.
func (h *HTTP) watch(n int, resp *http.Response) {
	if h.opts.Tap == nil {
		return
	}
	h.see(wire.Frame{
		Dir: wire.In, Kind: wire.FrameResponse, Exchange: n,
		Status: resp.StatusCode, Header: resp.Header.Clone(),
	})
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return // the body is a connection now
	}
	show := func(kind wire.FrameKind, data []byte, event *wire.Event, note string) {
		h.see(wire.Frame{Dir: wire.In, Kind: kind, Exchange: n, Data: data, Event: event, Note: note})
	}
	body := &watchedBody{ReadCloser: resp.Body, show: show, parts: newParts(resp.Header, h.opts.Limit, show)}
	if resp.Body == http.NoBody {
		body.finish(nil)
	}
	resp.Body = body
}

// showFunc makes a frame of what came.
type showFunc func(kind wire.FrameKind, data []byte, event *wire.Event, note string)

// parts cuts a body into frames.
type parts interface {
	add(p []byte) // p may be reused after the call
	flush()       // no more will come
}

func newParts(head http.Header, limit int, show showFunc) parts {
	limit = bodyLimit(limit)
	plain := head.Get("Content-Encoding") == "" || strings.EqualFold(head.Get("Content-Encoding"), "identity")
	switch kind := MediaType(head); {
	case plain && kind == "text/event-stream":
		return newEventParts(limit, show)
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return &wholeParts{max: limit, show: show}
	default:
		return &wholeParts{max: min(wholeBody, limit), show: show}
	}
}

// MediaType returns the media type of a message with this head, in lower case and
// without parameters; "" when there is none. Parameters that cannot be read do not
// hide it.
func MediaType(head http.Header) string {
	value := head.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(value); err == nil {
		return kind
	}
	kind, _, _ := strings.Cut(value, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// watchedBody hands the body on as it is, and shows it as it passes. Close may be
// called while a Read waits.
type watchedBody struct {
	io.ReadCloser
	show showFunc

	mu    sync.Mutex
	parts parts // nil once the end was shown
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	if n > 0 && b.parts != nil {
		b.parts.add(p[:n])
	}
	b.mu.Unlock()
	if err != nil {
		b.finish(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	b.finish(errEarlyClose)
	return err
}

// finish shows what is left and the end, once.
func (b *watchedBody) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.parts == nil {
		return
	}
	b.parts.flush()
	b.parts = nil
	note := ""
	if err != nil && err != io.EOF { //nolint:errorlint // only a bare io.EOF is a clean end
		note = err.Error()
	}
	b.show(wire.FrameClose, nil, nil, note)
}
