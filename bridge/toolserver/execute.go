package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
)

// errTooLong is the cause of a context whose call overran its time.
var errTooLong = errors.New("the tool overran its time")

// outcome is what the function of a tool came to.
type outcome struct {
	value any
	err   error
}

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
	ended := make(chan outcome, 1)
	go func() { ended <- call(ctx, run) }()
	select {
	case out := <-ended:
		if context.Cause(ctx) == nil || out.err == nil {
			return e.result(out, about)
		}
		// its context ended first, and that is what it failed of
	case <-ctx.Done():
	}
	if late != nil {
		go func() { late(e.result(<-ended, about)) }()
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

// call runs the function; its panic is an error.
func call(ctx context.Context, run runner) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = outcome{err: fmt.Errorf("the tool panicked: %v", p)}
		}
	}()
	value, err := run(ctx)
	return outcome{value, err}
}

// result is what the function returned, as the client gets it.
func (e *entry) result(out outcome, about errclass.Call) Result {
	if out.err != nil {
		f := failed(out.err, about)
		return Result{Outcome: outcomeOf(f), Text: f.Message, Failure: f}
	}
	if e.output == nil {
		return Result{Outcome: OK, Text: reflect.ValueOf(out.value).String()}
	}
	raw, err := json.Marshal(out.value)
	if err != nil {
		f := failed(fmt.Errorf("the result cannot be written as JSON: %w", err), about)
		return Result{Outcome: Failed, Text: f.Message, Failure: f}
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
