package recorder

import (
	"bytes"
	"io"
	"net/url"

	"github.com/peerwright/peerwright/internal/wire"
)

// ownEndpoint returns the bytes of an endpoint event whose absolute URL of the peer's
// origin is now one of the proxy's, and whether it was such an event.
//
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
func (x *exchange) ownEndpoint(e wire.Event) ([]byte, bool) {
	if e.Type != "endpoint" {
		return nil, false
	}
	u, err := url.Parse(string(e.Data))
	if err != nil || u.Host == "" || origin(u) != origin(x.upstream) {
		return nil, false
	}
	own := append([]byte(x.own), e.Data[len(origin(u)):]...)
	return bytes.Replace(e.Raw, e.Data, own, 1), true
}

// maxFirst bounds how much of a stream is held back for its first event, in bytes.
const maxFirst = 64 << 10

// endpointBody passes an event stream on, with its first event changed when that
// names an endpoint. It holds back no more than that event, and nothing after it.
type endpointBody struct {
	io.ReadCloser
	exchange *exchange
	ready    []byte // to be handed on
	held     []byte // the first event, as far as it has come
	begun    bool   // the first event is behind, or will not come
	err      error  // what followed it at once
}

func (b *endpointBody) Read(p []byte) (int, error) {
	for len(b.ready) == 0 {
		switch {
		case b.err != nil:
			return 0, b.err
		case b.begun:
			return b.ReadCloser.Read(p) //nolint:wrapcheck // a body passes errors as they are
		}
		b.readFirst()
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// readFirst reads once, and makes ready what can be handed on.
func (b *endpointBody) readFirst() {
	buf := make([]byte, 4<<10)
	n, err := b.ReadCloser.Read(buf)
	b.held, b.err = append(b.held, buf[:n]...), err
	reader := wire.NewEventReader(bytes.NewReader(b.held), 0)
	for !b.begun {
		e, err := reader.Next()
		if err != nil {
			break
		}
		b.held = b.held[len(e.Raw):]
		if own, changed := b.exchange.ownEndpoint(e); changed {
			e.Raw = own
		}
		b.ready = append(b.ready, e.Raw...)
		b.begun = e.Dispatched
	}
	if b.begun || b.err != nil || len(b.held) > maxFirst {
		b.begun = true
		b.ready = append(b.ready, b.held...)
		b.held = nil
	}
}
