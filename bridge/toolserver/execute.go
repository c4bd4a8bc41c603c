package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
)

// errTooLong is the cause of a context whose call overran its time.
var errTooLong = errors.New("the tool overran its time")

// execute runs the tool, and waits no longer than its time and its caller. A tool that
// overruns is left to itself with its context ended; what it returns then goes to late
// alone, where there is one.
func (s *Server) execute(ctx context.Context, e *entry, c Call, about errclass.Call, run runner, late func(Result)) Result {
	limit := e.Timeout
	if limit == 0 {
		limit = s.opts.Timeout
	}
	ctx, stop := context.WithCancelCause(context.WithValue(ctx, progressKey{}, c.Progress))
	defer stop(nil)
	if limit > 0 {
		timer := time.AfterFunc(limit, func() { stop(errTooLong) })
		defer timer.Stop()
	}
	ended := make(chan Result, 1)
	go s.run(ctx, e, run, about, ended)
	select {
	case res := <-ended:
		if context.Cause(ctx) == nil || res.Failure == nil {
			return res
		}
		ended <- res // its context ended first, and that is what it failed of
	case <-ctx.Done():
	}
	if late != nil {
		go func() { late(<-ended) }()
	}
	return e.givenUp(context.Cause(ctx), limit, about)
}

// givenUp is the result of a call that nobody waits for any more.
func (e *entry) givenUp(cause error, limit time.Duration, about errclass.Call) Result {
	outcome, message := Failed, fmt.Sprintf("%s was cancelled", e.Name)
	if errors.Is(cause, errTooLong) {
		outcome, message = Timeout, fmt.Sprintf("%s did not end within %s, and was given up", e.Name, limit)
	} else if errors.Is(cause, context.DeadlineExceeded) {
		outcome, message = Timeout, fmt.Sprintf("%s did not end before its caller's deadline, and was given up", e.Name)
	}
	f := errclass.New(TimedOut, errclass.Upstream, errclass.Unknown, message, about)
	return Result{Outcome: outcome, Text: message, Failure: &f}
}

// errGone is the error of a tool that ended its goroutine and returned nothing.
var errGone = errors.New("the tool ended its goroutine")

// run runs the function and makes its result, each with methods of the user. A panic is
// an error, and so is the end of the goroutine: there is always a result.
func (s *Server) run(ctx context.Context, e *entry, run runner, about errclass.Call, ended chan<- Result) {
	res := e.failure(errGone, about)
	defer func() {
		if p := recover(); p != nil {
			res = e.failure(s.log.panicked(ctx, "the tool "+e.Name, p, debug.Stack()), about)
		}
		ended <- res
	}()
	value, err := run(ctx)
	res = e.result(value, err, about)
}

// failure is a failed call.
func (e *entry) failure(err error, about errclass.Call) Result {
	f := failed(err, about)
	return Result{Outcome: outcomeOf(f), Text: f.Message, Failure: f}
}

// result is what the function returned, as the client gets it.
func (e *entry) result(value any, err error, about errclass.Call) Result {
	if err != nil {
		return e.failure(err, about)
	}
	if e.output == nil {
		return Result{Outcome: OK, Text: reflect.ValueOf(value).String()}
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return e.failure(fmt.Errorf("the result cannot be written as JSON: %w", err), about)
	}
	res := Result{Outcome: OK, Text: string(raw), Structured: raw}
	if e.wraps {
		res.Structured = fmt.Appendf(nil, `{"%s":%s}`, wrapped, raw)
	}
	return res
}

// outcomeOf is the outcome of a tool that failed by itself: one that says that its own
// time was over counts as timed out.
func outcomeOf(f *Failure) Outcome {
	if f.Class == TimedOut {
		return Timeout
	}
	return Failed
}
