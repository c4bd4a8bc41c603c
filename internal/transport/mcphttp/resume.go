package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
)

// Resume bounds how a broken stream of a legacy revision is taken up again, by GET
// with the id of its last event. The request itself is never sent again. The zero
// value means the defaults.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
type Resume struct {
	Attempts int           // in a row that brought no event; 0 means 5, less means none at all
	Total    time.Duration // from the first break to the answer; 0 means 10 minutes
	Wait     time.Duration // before an attempt when the peer named no time; 0 means 1 second
}

const (
	resumeAttempts = 5
	resumeTotal    = 10 * time.Minute
	resumeWait     = time.Second
	// resumePause is the least time between attempts, whatever the peer asks for.
	resumePause = 20 * time.Millisecond
)

func (r Resume) withDefaults() Resume {
	if r.Attempts == 0 {
		r.Attempts = resumeAttempts
	}
	if r.Total <= 0 {
		r.Total = resumeTotal
	}
	if r.Wait <= 0 {
		r.Wait = resumeWait
	}
	return r
}

// SetResume sets the bounds of resuming. It must be called before the first Send.
func (c *Conn) SetResume(r Resume) { c.resume = r }

// mayResume tells whether the stream can be taken up where it broke off.
func (c *Conn) mayResume(x *exchange, resp *transport.HTTPResponse) bool {
	return x.resumes && len(x.awaits) > 0 && x.lastID != "" && x.tooLong == nil &&
		isSuccess(resp.StatusCode) && c.resume.Attempts >= 0
}

// errResumeTotal is the cause when the time for resuming is up.
var errResumeTotal = errors.New("the time for resuming the stream is up")

// resumeStream goes on with the stream until every request has its answer. broken is
// why it ended; the error wraps it and says why there is no going on.
func (c *Conn) resumeStream(life context.Context, x *exchange, broken error) error {
	r := c.resume.withDefaults()
	ctx, cancel := context.WithTimeoutCause(life, r.Total, errResumeTotal)
	defer cancel()
	for tries := 0; tries < r.Attempts; tries++ {
		if err := pause(ctx, x.wait(r)); err != nil {
			return fmt.Errorf("%w; not resumed: %w", broken, err)
		}
		reached := x.lastID
		err := c.resumeOnce(ctx, x)
		if len(x.awaits) == 0 {
			return err
		}
		if isFinal(err) || x.lastID == "" || x.tooLong != nil {
			return fmt.Errorf("%w; not resumed: %w", broken, err)
		}
		if x.lastID != reached {
			tries = -1
		}
		broken = err
	}
	return fmt.Errorf("gave up resuming the stream after %d attempts: %w", r.Attempts, broken)
}

func (x *exchange) wait(r Resume) time.Duration {
	if x.retry > 0 {
		return x.retry
	}
	return r.Wait
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *Conn) resumeOnce(ctx context.Context, x *exchange) error {
	resp, err := c.http.Do(ctx, transport.HTTPRequest{
		Method: http.MethodGet, URL: c.endpoint, Header: c.listenHeader(x.lastID),
	})
	if err != nil {
		return err
	}
	return c.consume(ctx, x, resp)
}

// isFinal tells whether the peer has said that it will not resume the stream.
func isFinal(err error) bool {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status < http.StatusInternalServerError
	}
	var kind *ContentTypeError
	return errors.As(err, &kind)
}
