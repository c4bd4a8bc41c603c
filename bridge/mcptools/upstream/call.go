package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Call is one call of a tool.
type Call struct {
	Tool  string
	Args  json.RawMessage // an object
	Known errclass.Call   // what is known of it, for the contract
	// Key is the idempotency key, which goes to the server as _meta.idempotencyKey and
	// over HTTP as the header Idempotency-Key; "" without one.
	Key string
	// Timeout bounds the call, the wait for its turn included; 0 means that of the Config.
	Timeout time.Duration
	// Note is told the notifications that belong to the call, such as its progress; nil
	// asks for none. It must not wait.
	Note func(method string, params json.RawMessage)
}

// Result is the result of a call that the server made.
type Result struct {
	Raw     json.RawMessage // an object, as received
	IsError bool            // the tool says that it failed
}

// Call calls a tool. The error is always an errclass.Error.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools
func (u *Upstream) Call(ctx context.Context, c Credential, call Call) (Result, error) {
	timeout := u.config.Timeout
	if call.Timeout > 0 {
		timeout = call.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, &timeoutError{timeout})
	defer cancel()
	s, leave, err := u.slot(c)
	if err != nil {
		return Result{}, u.own.classify(&notRunError{err}, call.Known)
	}
	defer leave()
	if err := u.gate.enter(ctx); err != nil {
		return Result{}, s.classify(&notRunError{err}, call.Known)
	}
	defer u.gate.leave()
	reply, err := s.exchange(ctx, call.request())
	if err != nil {
		return Result{}, s.classify(err, call.Known)
	}
	return s.judge(reply, call.Known)
}

// timeoutError is why a call was given up.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string {
	return fmt.Sprintf("no answer within %v", e.after.Round(time.Millisecond))
}

// Unwrap makes it what every expired deadline is.
func (e *timeoutError) Unwrap() error { return context.DeadlineExceeded }

func (c Call) request() request {
	r := request{
		method: "tools/call",
		params: []wire.Member{{Name: "name", Value: wire.Quote(c.Tool)}, {Name: "arguments", Value: c.Args}},
	}
	if c.Key != "" {
		r.meta = []wire.Member{{Name: "idempotencyKey", Value: wire.Quote(c.Key)}}
		r.header = http.Header{"Idempotency-Key": {headerValue(c.Key)}}
	}
	if c.Note != nil {
		r.note = func(in transport.Incoming) { c.Note(in.Method, in.Params) }
	}
	return r
}

// judge takes an answer for what it is.
func (s *slot) judge(reply rpc.Reply, known errclass.Call) (Result, error) {
	if reply.Error != nil {
		return Result{}, s.refused(reply.Error, reply.Delivery, known)
	}
	if len(reply.Result) == 0 || reply.Result[0] != '{' {
		return Result{}, s.malformed("the server answered with a result that is no object", known)
	}
	kind, isText := wire.Text(wire.Get(reply.Result, "resultType"))
	switch {
	case !isText || kind == "complete":
		return Result{Raw: reply.Result, IsError: string(wire.Get(reply.Result, "isError")) == "true"}, nil
	case kind == "input_required":
		return Result{}, s.asksForInput(reply.Result, known)
	}
	return Result{}, s.malformed(fmt.Sprintf("the server answered with a result of type %q, which was not asked for", kind), known)
}
