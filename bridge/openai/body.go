package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
)

// readBody reads the body of a request, up to the limit.
func (s *Server) readBody(x *exchange, r *http.Request) ([]byte, error) {
	if err := checkMedia(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > int64(s.opts.Limit) {
		return nil, tooLong(s.opts.Limit)
	}
	const trust = 1 << 20 // a length that is only said is not worth more memory
	var buf bytes.Buffer
	buf.Grow(int(min(max(r.ContentLength, 0), trust)) + bytes.MinRead)
	_, err := buf.ReadFrom(&patient{http.MaxBytesReader(x.ResponseWriter, r.Body, int64(s.opts.Limit)), x.control, s.opts.Stall})
	x.in = int64(buf.Len())
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLong(s.opts.Limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, stalled(s.opts.Stall)
	}
	if err != nil {
		return nil, malformed("", "The body did not arrive whole: %v.", err).refused()
	}
	_ = x.control.SetReadDeadline(time.Time{}) // what follows is the answer, which may take any time
	return buf.Bytes(), nil
}

// patient reads a body from a client that must not stall.
type patient struct {
	io.Reader
	control *http.ResponseController
	stall   time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	_ = p.control.SetReadDeadline(time.Now().Add(p.stall)) // a connection without deadlines has none to keep
	return p.Reader.Read(b)
}

// stalled is a body that stopped to come. The request may be sent again: nothing was
// done with it.
func stalled(after time.Duration) error {
	message := fmt.Sprintf("Nothing more of the body came for %v.", after)
	e := errclass.New(errclass.Timeout, errclass.Bridge, errclass.NotRun, message, errclass.Call{ReadOnly: true})
	return Failure{Cause: e, Status: http.StatusRequestTimeout}
}

func tooLong(limit int) error {
	message := fmt.Sprintf("The body is longer than the %d bytes that are allowed here.", limit)
	return refusal(http.StatusRequestEntityTooLarge, message)
}

// checkMedia tells what keeps the body from being JSON by what is said of it.
func checkMedia(h http.Header) error {
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return refusal(http.StatusUnsupportedMediaType, fmt.Sprintf("Content-Encoding %q is not taken here. Send the body as it is.", coding))
	}
	said := h.Get("Content-Type")
	if said == "" || said == "application/json" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(said)
	if err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) {
		return nil
	}
	return refusal(http.StatusUnsupportedMediaType, fmt.Sprintf("Content-Type %q is not taken here. Send application/json.", said))
}

// refusal is a request that is wrong before its body is read.
func refusal(status int, message string) error {
	e := errclass.New(errclass.InvalidArgs, errclass.Bridge, errclass.NotRun, message, errclass.Call{})
	return Failure{Cause: e, Status: status}
}
