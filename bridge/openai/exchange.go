package openai

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
)

// block is how much is written under one deadline.
const block = 256 << 10

// exchange is one HTTP request and its answer: the ResponseWriter of all routes, which
// gathers what the log and the metrics say.
type exchange struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	start   time.Time
	id      string // of the request
	route   string // its pattern; "" for a path that is none
	caller  string
	model   string
	in, out int64 // bytes of the bodies
	status  int   // 0 while nothing was answered
	class   errclass.Class
	err     error // what the class does not tell
}

// Unwrap is for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// Flush implements http.Flusher.
func (x *exchange) Flush() { _ = x.control.Flush() }

// WriteHeader keeps the status.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write gives the client time for each block, so that a slow one gets everything and
// one that reads nothing holds up nobody.
func (x *exchange) Write(b []byte) (n int, err error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	for first := true; first || len(b) > 0 && err == nil; first = false {
		_ = x.control.SetWriteDeadline(time.Now().Add(x.stall)) // a writer without deadlines has none to keep
		var done int
		done, err = x.ResponseWriter.Write(b[:min(len(b), block)])
		n, b = n+done, b[done:]
	}
	x.out += int64(n)
	return n, err
}

// note keeps why the request failed, for the log.
func (x *exchange) note(f Failure, err error) {
	x.class = f.Cause.Class
	if f.Code == internalCode {
		x.err = err
	}
}

// line writes the line of the log.
func (s *Server) line(x *exchange, r *http.Request) {
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(
		attrs,
		slog.String("method", r.Method),
		slog.String("path", s.shown(x, r)),
		slog.Int("status", x.status),
		slog.Float64("duration_ms", float64(s.now().Sub(x.start).Microseconds())/1000),
		slog.Int64("bytes_in", x.in),
		slog.Int64("bytes_out", x.out),
		slog.String("request_id", x.id),
	)
	if x.model != "" {
		attrs = append(attrs, slog.String("model", s.safe(x.model)))
	}
	if x.class != "" {
		attrs = append(attrs, slog.String("class", string(x.class)))
	}
	if x.caller != "" {
		attrs = append(attrs, slog.String("caller", x.caller[:8]))
	}
	level := slog.LevelInfo
	if x.err != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", s.safe(x.err.Error())))
	}
	s.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// shown returns the path as the log may have it: that of a route is known to hold
// nothing, any other may hold anything.
func (s *Server) shown(x *exchange, r *http.Request) string {
	if x.route == r.URL.Path {
		return x.route
	}
	return s.safe(r.URL.Path)
}

// safe returns what came from outside without secrets, and no longer than a line bears.
func (s *Server) safe(text string) string {
	const most = 4 << 10
	clean := string(s.redact.Text([]byte(text)))
	return clean[:min(len(clean), most)]
}
