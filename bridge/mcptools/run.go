package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/functions"
	"github.com/peerwright/peerwright/bridge/mcptools/pages"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// Outcome is what came of one call.
type Outcome struct {
	ID, Name string          // as the caller wrote them
	Server   string          // "" where no tool was found
	Tool     string          // its own name at the server
	Content  json.RawMessage // the result, or the envelope of the failure
	Err      error           // an errclass.Error, or an openai.Failure that holds one; nil for a success
	Replayed bool            // it is the answer to an earlier call with the same key
	Attempts int             // how often the call was handed to the server
	Took     time.Duration
	Problems []string // what went wrong beside the call
}

// job is one call on its way.
type job struct {
	call     openai.ToolCall
	key      string // the idempotency key; "" without one
	kept     string // what it is kept under; "" is the key itself
	caller   string
	cred     upstream.Credential
	noRetry  bool // the caller wants to come again himself
	trace    *openai.Calls
	tool     functions.Tool
	server   *upstream.Upstream
	args     json.RawMessage // as the caller gave them
	paged    json.RawMessage // with the server's cursor in the place of ours
	resumed  bool            // there was a cursor of ours
	send     json.RawMessage // as the server gets them
	known    errclass.Call
	attempts int
	problems []string
}

// run makes one call, whatever comes of it.
func (b *Backend) run(ctx context.Context, j *job) Outcome {
	began := b.o.Now()
	content, replayed, err := b.contained(ctx, j)
	out := Outcome{
		ID: j.call.ID, Name: j.call.Name, Server: j.tool.Server, Tool: j.tool.Name, Content: content, Err: err,
		Replayed: replayed, Attempts: j.attempts, Took: b.o.Now().Sub(began), Problems: j.problems,
	}
	if err != nil {
		out.Content = openai.Envelope(err)
	}
	if b.o.Made != nil {
		b.o.Made(Made{out.Server, out.Tool, classOf(err), replayed, out.Attempts, out.Took})
	}
	return out
}

// contained keeps a fault of the bridge from taking other calls with it.
func (b *Backend) contained(ctx context.Context, j *job) (content json.RawMessage, replayed bool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			b.o.Log.Error("a call went wrong inside the bridge", "tool", j.call.Name, "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
			e := errclass.New(errclass.Transient, errclass.Bridge, errclass.Unknown, "the call went wrong inside the bridge; its log says more", errclass.Call{})
			content, replayed, err = nil, false, e
		}
	}()
	return b.make(ctx, j)
}

// make prepares the call, and makes it or finds that it was made.
func (b *Backend) make(ctx context.Context, j *job) (json.RawMessage, bool, error) {
	if err := b.prepare(ctx, j); err != nil {
		return nil, false, err
	}
	if j.key != "" {
		return b.once(ctx, j)
	}
	ctx, cancel := context.WithTimeout(ctx, b.o.Timeout)
	defer cancel()
	content, err := b.attempt(ctx, j)
	return content, false, err
}

// prepare finds the tool and checks the arguments. Nothing is sent for it but a request for
// a newer list, when that at hand would have the call refused.
func (b *Backend) prepare(ctx context.Context, j *job) error {
	args, err := functions.Arguments(j.call.Arguments)
	if err != nil {
		return refuse(errclass.InvalidArgs, "the arguments of %s: %v", shortName(j.call.Name), err)
	}
	j.args = args
	_, _, have := b.find(ctx, j.cred, j.call.Name)
	err = b.check(j, have)
	if err != nil && !errors.Is(err, errCursor) {
		err = b.check(j, b.catalog(ctx, j.cred, b.o.Fresh))
	}
	if err != nil {
		return err
	}
	j.known = errclass.Call{ReadOnly: !j.tool.Mutates, Keyed: j.key != ""}
	if a := j.tool.Annotations; a != nil && a.IdempotentHint != nil {
		j.known.Idempotent = *a.IdempotentHint
	}
	return nil
}

// errCursor is wrapped when the cursor is wrong, which no other list would mend.
var errCursor = errors.New("the cursor cannot be used")

// check looks at the call in the light of what the servers offer.
func (b *Backend) check(j *job, c *catalog) error {
	tool, ok := c.Find(j.call.Name)
	if !ok {
		return b.noTool(j.call.Name, c)
	}
	j.tool, j.server = tool, b.upstream(tool.Server)
	send, resumed, err := pages.Resume(j.source(j.args), b.o.Seal, b.o.Now())
	if err != nil {
		return errors.Join(refuse(errclass.InvalidArgs, "%v", err), errCursor)
	}
	j.paged, j.resumed, j.send = send, resumed, tool.Integers(send)
	if err := tool.Validate(j.send); err != nil {
		return refuse(errclass.InvalidArgs, "the arguments of %s do not fit its schema: %v", shortName(j.call.Name), err)
	}
	return nil
}

func (j *job) source(args json.RawMessage) pages.Source {
	return pages.Source{
		Server: j.tool.Server, Tool: j.tool.Name, Caller: j.caller, Args: args,
		Schema: wire.Get(j.tool.Raw, "inputSchema"), Output: j.tool.OutputSchema, Resumed: j.resumed,
	}
}

// noTool says that there is no such tool, or that it is not known for want of a list.
func (b *Backend) noTool(name string, c *catalog) error {
	if len(c.missing) > 0 {
		if e, ok := errors.AsType[errclass.Error](c.missing[0]); ok {
			e.Message = fmt.Sprintf("it is not known whether there is a tool %q: %s", shortName(name), e.Message)
			e.Context.Outcome = errclass.NotRun
			return e
		}
	}
	said := fmt.Sprintf("there is no tool %q", shortName(name))
	if near := c.Nearest(name); len(near) > 0 {
		said += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return refuse(errclass.NotFound, "%s", said)
}

func classOf(err error) errclass.Class {
	e, _ := errors.AsType[errclass.Error](err)
	return e.Class
}
