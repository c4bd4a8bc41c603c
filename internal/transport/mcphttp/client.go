package mcphttp

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// client is the HTTP answer on which a stream goes out. The stream that holds it
// guards it.
type client struct {
	w      http.ResponseWriter
	ctl    *http.ResponseController
	begun  bool
	status int           // of the head, when that is not written yet; 0 means 200
	gone   chan struct{} // closed when nothing more will be written
	detach func()        // lets the stream know that the client is gone
}

func newClient(w http.ResponseWriter) *client {
	return &client{w: w, ctl: http.NewResponseController(w), gone: make(chan struct{})}
}

// wait returns when nothing more will be written, or the client is gone.
func (c *client) wait(r *http.Request) {
	select {
	case <-c.gone:
	case <-r.Context().Done():
	}
}

// writeTime bounds one write to a client that does not read.
const writeTime = 30 * time.Second

// writeJSON writes the whole answer.
func (c *client) writeJSON(raw []byte, status int) error {
	c.status = status
	c.w.Header().Set("Content-Type", typeJSON)
	c.w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	c.head()
	return c.write(raw)
}

// begin opens the event stream, so that the client knows that it stands.
func (c *client) begin() error { return c.writeEvents(nil) }

func (c *client) writeEvents(raw []byte) error {
	if !c.begun {
		h := c.w.Header()
		h.Set("Content-Type", typeSSE)
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no")
		c.head()
	}
	return c.write(raw)
}

func (c *client) head() {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	c.begun = true
	c.w.WriteHeader(c.status)
}

func (c *client) write(raw []byte) error {
	_ = c.ctl.SetWriteDeadline(time.Now().Add(writeTime)) // where there is no deadline, the write waits
	defer func() { _ = c.ctl.SetWriteDeadline(time.Time{}) }()
	if _, err := c.w.Write(raw); err != nil {
		return fmt.Errorf("writing to the client: %w", err)
	}
	if err := c.ctl.Flush(); err != nil {
		return fmt.Errorf("writing to the client: %w", err)
	}
	return nil
}
