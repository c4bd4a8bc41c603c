package toolserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/store/audit"
)

// Call makes one call of a tool: validate, permit, confirm, run, audit. It knows of no
// transport, and may be called by any number of goroutines. What went wrong is in the
// result; a Result comes always, and promptly once ctx or the call's time is over.
func (s *Server) Call(ctx context.Context, c Call) Result {
	began := s.opts.Now()
	res := s.judge(ctx, c)
	err := s.record(ctx, began, c, res)
	s.log.failed(ctx, "audit", err)
	if err != nil && s.opts.Durable && res.ran() {
		// Nobody can see the call in the log: that is not passed off as a success.
		f := errclass.New(Transient, errclass.Upstream, errclass.Failed,
			"the call was made, but could not be recorded: "+err.Error(), errclass.Call{})
		res = Result{Outcome: Failed, Text: f.Message, Failure: &f}
	}
	s.log.call(ctx, c, res, s.opts.Now().Sub(began))
	return res
}

// ran tells whether the tool was run.
func (r Result) ran() bool { return r.Outcome != Denied && r.Outcome != Invalid }

// judge takes the call through everything but the audit.
func (s *Server) judge(ctx context.Context, c Call) Result {
	e := s.tool(c.Tool)
	if e == nil {
		return denial(Invalid, refused(NotFound, errclass.Call{}, "there is no tool %q%s", c.Tool, s.offers()))
	}
	about := errclass.Call{ReadOnly: e.tier == ReadOnly, Idempotent: e.Idempotent, Keyed: c.Key != ""}
	run, args, err := s.validate(ctx, e, c.Arguments)
	if err != nil {
		return denial(Invalid, refused(InvalidArgs, about, "%v", err))
	}
	c.Arguments = args
	if s.opts.ReadOnly && e.tier != ReadOnly {
		return denial(Denied, refused(Permission, about, "%s is not allowed: this server is read-only", e.Name))
	}
	if err := s.audited(); err != nil {
		return denial(Denied, refused(Transient, about, "%s is not allowed: its record could not be kept: %v", e.Name, err))
	}
	if c.Key != "" && e.tier != ReadOnly {
		return s.once(ctx, e, c, about, run)
	}
	if res, ok := s.permit(ctx, e, c, about); !ok {
		return res
	}
	return s.execute(ctx, e, c, about, run, nil)
}

// permit asks for the confirmation of a destructive call; false is a denial, which the
// result tells.
func (s *Server) permit(ctx context.Context, e *entry, c Call, about errclass.Call) (Result, bool) {
	if e.tier != Destructive {
		return Result{}, true
	}
	err := s.confirmed(ctx, e, c)
	if err == nil {
		return Result{}, true
	}
	res := denial(Denied, refused(Permission, about, "%s is not allowed: %v", e.Name, err))
	var p *pendingAnswer
	if errors.As(err, &p) {
		res.pending = p
	}
	return res, false
}

func denial(o Outcome, f *Failure) Result {
	return Result{Outcome: o, Text: f.Message, Failure: f}
}

// audited returns why rows cannot be written at present.
func (s *Server) audited() error {
	if s.audit == nil {
		return nil
	}
	return s.audit.Ready()
}

// record writes the row of the call. It goes on when the caller has left: what was done
// is written down.
func (s *Server) record(ctx context.Context, began time.Time, c Call, res Result) error {
	if s.audit == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	defer stop()
	return s.audit.Append(ctx, audit.Entry{ //nolint:wrapcheck // it says what it is about
		At: began, Duration: s.opts.Now().Sub(began), Source: audit.Toolserver, Server: s.name, Caller: c.Caller,
		Tool: c.Tool, Outcome: res.Outcome, Detail: detail(res), Correlation: c.Correlation, Arguments: c.Arguments,
	})
}

// recordWithin is how long a call waits for its row.
const recordWithin = 30 * time.Second

// detail is what the row says beside the outcome: results are not kept.
func detail(res Result) string {
	switch {
	case res.Failure != nil:
		return res.Failure.Message
	case res.Replayed:
		return "answered with the result of an earlier call with the same key"
	}
	return ""
}

func (s *Server) tool(name string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools[name]
}

// offers names some of the tools that there are.
func (s *Server) offers() string {
	var list []string
	for _, e := range s.sorted() {
		if len(list) == 5 {
			list = append(list, "…")
			break
		}
		list = append(list, e.Name)
	}
	if list == nil {
		return ""
	}
	return fmt.Sprintf("; there are %s", strings.Join(list, ", "))
}
