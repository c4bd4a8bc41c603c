package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/peerwright/peerwright/internal/wire"
)

// RawResponse is the answer to one HTTP exchange, read as far as it was wanted.
type RawResponse struct {
	Exchange int
	Status   int
	Header   http.Header
	Body     []byte
	// Cut says why the Body is not whole: the context ended, the limit was reached,
	// the connection broke. It is nil for a body that ended, and for an event stream
	// that was read up to its first JSON-RPC response.
	Cut error
}

// Exchange makes one HTTP exchange and reads the body of the answer: to its end, to
// Options.Limit, to the end of the context, and of an event stream to its first
// JSON-RPC response. It fails where Do does.
func (h *HTTP) Exchange(ctx context.Context, r HTTPRequest) (*RawResponse, error) {
	resp, err := h.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	stop := context.AfterFunc(ctx, func() { resp.Cut(context.Cause(ctx)) })
	defer stop()
	raw := &RawResponse{Exchange: resp.Exchange, Status: resp.StatusCode, Header: resp.Header}
	if MediaType(resp.Header) == "text/event-stream" {
		raw.Body, raw.Cut = readEvents(resp.Body, h.opts.Limit)
	} else {
		raw.Body, raw.Cut = ReadBody(resp.Body, h.opts.Limit)
	}
	return raw, nil
}

// readEvents reads whole events up to the first that is a JSON-RPC response.
func readEvents(body io.Reader, limit int) ([]byte, error) {
	var read []byte
	reader := wire.NewEventReader(body, limit)
	for {
		event, err := reader.Next()
		if err != nil {
			return append(read, reader.Rest()...), notEOF(err)
		}
		read = append(read, event.Raw...)
		if event.Dispatched && wire.Parse(event.Data).IsResponse() {
			return read, nil
		}
		if len(read) > bodyLimit(limit) {
			return read, tooLong(read, bodyLimit(limit))
		}
	}
}

// ReadWhole reads the body of an answer as ReadBody does, at once where all of it is there.
func (r *HTTPResponse) ReadWhole(limit int) ([]byte, error) {
	if !r.Whole || r.ContentLength > int64(bodyLimit(limit)) {
		return ReadBody(r.Body, limit)
	}
	body := make([]byte, r.ContentLength)
	n, err := io.ReadFull(r.Body, body)
	return body[:n], err
}

// ReadBody reads a body to its end. It returns what came beside the error: a
// *wire.TooLongError at more than limit bytes (0 means wire.DefaultLimit), or why
// the body broke off.
func ReadBody(body io.Reader, limit int) ([]byte, error) {
	limit = bodyLimit(limit)
	var read bytes.Buffer
	_, err := io.Copy(&read, io.LimitReader(body, int64(limit)+1))
	if err == nil && read.Len() > limit {
		return read.Bytes()[:limit], tooLong(read.Bytes(), limit)
	}
	return read.Bytes(), err
}

func bodyLimit(limit int) int {
	if limit <= 0 {
		return wire.DefaultLimit
	}
	return limit
}

const excerpt = 1 << 10 // as much as wire.TooLongError keeps

func tooLong(read []byte, limit int) error {
	return &wire.TooLongError{
		Limit: limit, Read: len(read),
		Head: bytes.Clone(read[:min(len(read), excerpt)]),
		Tail: bytes.Clone(read[max(0, len(read)-excerpt):]),
	}
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
