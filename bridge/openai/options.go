package openai

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/wire"
)

// Options say what a Server serves, to whom. Backends are wanted, or Routes; the zero
// value of all else is ready to use.
type Options struct {
	// Backends answer the requests. Each request goes to the first that serves its model.
	Backends []Backend
	// Keys are the secrets of which a caller must show one; without any, everybody who
	// can connect is served. They must not be blank.
	Keys []string
	// AllowPassthrough gives the Authorization of callers to the backends, in
	// Request.Upstream, where it is not the key itself.
	AllowPassthrough bool
	// Origins and Hosts are allowed besides those of loopback: an origin as a browser
	// writes it ("https://example.com"), a host without its port; "*" allows all.
	Origins, Hosts []string
	// Limit is the size in bytes that the body of a request may have; 0 means 64 MiB.
	Limit int
	// KeepAlive is the silence in a stream after which a comment is sent; 0 means 10
	// seconds, and less than 0 never.
	KeepAlive time.Duration
	// Drain is how long answers that are under way may take once the server is told to
	// stop; 0 means 10 seconds.
	Drain time.Duration
	// Stall is how long a client may take no byte of its answer, or send none of its
	// body, until it counts as gone; 0 means 30 seconds. An answer as a whole may take
	// any time.
	Stall time.Duration
	// Routes are served beside the server's own, of which they replace what they name.
	Routes []Route

	Now    func() time.Time // nil means time.Now
	Random io.Reader        // makes ids, for several goroutines at once; nil means crypto/rand
	Log    *slog.Logger     // takes a line for each request; nil for none
	// Redact takes the secrets out of what the log and the trace hold. It is told of the
	// keys. nil means one that knows nothing else but names and shapes.
	Redact  *redact.Redactor
	Metrics *prometheus.Registry // takes the metrics, which GET /metrics then shows; nil for none
	Trace   *Trace               // takes what passes; nil for nothing
}

// Route is a further route of the server.
type Route struct {
	// Pattern is a method and a path, such as "GET /v1/tools". A path that ends in "/"
	// stands for all that begin with it. GET answers HEAD too.
	Pattern string
	Open    bool // served without a key, and to any host and origin
	Handler http.Handler
}

const (
	defaultKeepAlive = 10 * time.Second
	defaultDrain     = 10 * time.Second
	defaultStall     = 30 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Limit <= 0 {
		o.Limit = wire.DefaultLimit
	}
	if o.KeepAlive == 0 {
		o.KeepAlive = defaultKeepAlive
	}
	if o.Drain <= 0 {
		o.Drain = defaultDrain
	}
	if o.Stall <= 0 {
		o.Stall = defaultStall
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// check tells what the server cannot be made with.
func (o Options) check() error {
	if len(o.Backends) == 0 && len(o.Routes) == 0 {
		return errors.New("there is nothing to serve: neither a backend nor a route")
	}
	for i, key := range o.Keys {
		if strings.TrimSpace(key) == "" {
			return fmt.Errorf("key %d is blank: anybody could show it", i+1)
		}
	}
	return nil
}
