package loop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// How often the model server is asked for one answer at most, how long the wait before
// another attempt may be, and what it is where the server says nothing: up to twice as long
// each time.
const (
	maxAttempts = 3
	maxPause    = 15 * time.Second
	firstPause  = 200 * time.Millisecond
)

// ask has the model answer once, and passes on what it says as it comes. A request that
// failed before that is made again where its server allows: asking changes nothing, and to
// give up would lose what came of the calls that were made.
func (r *run) ask(ctx context.Context, body []byte) (*answer, error) {
	for attempt := 1; ; attempt++ {
		res, err := r.send(ctx, body)
		if err == nil {
			defer res.Body.Close()
			return r.read(ctx, res)
		}
		pause, again := r.pause(ctx, err, attempt)
		if !again || r.c.Wait(ctx, pause) != nil {
			return nil, err
		}
	}
}

// send returns the response of the model server, if that is a good one.
func (l *Client) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := l.request(ctx, http.MethodPost, "/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	res, err := l.c.Client.Do(req)
	if err != nil {
		return nil, l.broken(ctx, err)
	}
	if res.StatusCode != http.StatusOK {
		defer res.Body.Close()
		return nil, l.refused(res)
	}
	return res, nil
}

func (l *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, l.c.URL+path, body)
	if err != nil {
		return nil, trouble(errclass.Transient, "the address of the model server cannot be used")
	}
	if l.c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+l.c.Key)
	}
	return req, nil
}

// pause returns how long to wait before the next attempt, and whether there should be one.
func (r *run) pause(ctx context.Context, err error, attempt int) (time.Duration, bool) {
	e, ok := errors.AsType[errclass.Error](err)
	if !ok || !e.Retryable || r.q.NoRetry || attempt >= maxAttempts || ctx.Err() != nil {
		return 0, false
	}
	most := firstPause << attempt
	pause := rand.N(most) //nolint:gosec // only keeps many from coming again at once
	if !e.Context.ResetAt.IsZero() {
		pause = max(e.Context.ResetAt.Sub(r.c.Now()), 0) + pause/4
	}
	deadline, bounded := ctx.Deadline()
	return pause, pause <= maxPause && (!bounded || time.Until(deadline) > pause)
}

// read reads an answer: a stream, or the document that servers send which know no streams.
func (r *run) read(ctx context.Context, res *http.Response) (*answer, error) {
	a := &answer{reply: r.reply, l: r.Client}
	body := &sized{res.Body, r.c.Size}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	read := r.readEvents
	if kind == "application/json" {
		read = readDocument
	}
	err := read(body, a)
	switch {
	case errors.Is(err, errTooLong):
		return nil, bound("loop_size", fmt.Sprintf("the answer of the model is longer than the %d bytes that one may have; none of the calls in it was made", r.c.Size))
	case err != nil && a.stopped != nil:
		return nil, a.stopped
	case err != nil && a.reason == "": // with a reason to finish everything is there
		return nil, r.broken(ctx, err)
	}
	return a, a.flaw()
}

// readEvents reads a stream up to its end.
func (r *run) readEvents(body io.Reader, a *answer) error {
	for events := wire.NewEventReader(body, r.c.Size); ; {
		e, err := events.Next()
		if _, long := errors.AsType[*wire.TooLongError](err); long {
			return errTooLong
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the answer: %w", err)
		}
		if string(bytes.TrimSpace(e.Data)) == "[DONE]" {
			return nil
		}
		if a.stopped = a.take(e.Data); a.stopped != nil {
			return a.stopped
		}
	}
}

func readDocument(body io.Reader, a *answer) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	a.stopped = a.take(raw)
	return a.stopped
}

// errTooLong is wrapped when an answer passes its bound.
var errTooLong = errors.New("the answer is too long")

// sized reads as many bytes as are left, and fails beyond them.
type sized struct {
	io.Reader
	left int
}

func (s *sized) Read(p []byte) (int, error) {
	if len(p) > s.left+1 {
		p = p[:s.left+1]
	}
	n, err := s.Reader.Read(p)
	if s.left -= n; s.left < 0 {
		return 0, errTooLong
	}
	return n, err //nolint:wrapcheck // a Reader passes on what it reads from
}
