// Package mcptools answers chat completion requests with the tools of MCP servers: the
// calls in the last message of a request are made, and their results are the answer. With
// a model beside it, it runs the whole loop.
//
// Whatever is kept, lists of tools, results of calls with an idempotency key, cursors, is
// kept for one caller and shown to no other.
//
// It imports bridge/openai, the packages below this one, store, seal, wire and errclass of
// this module.
package mcptools

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/store"
)

// Options say what is behind the endpoint. Upstreams, Keys and Seal are required.
type Options struct {
	Upstreams []*upstream.Upstream
	Keys      store.Keys   // remembers calls with an idempotency key
	Seal      *seal.Sealer // signs cursors

	// Loop has a model choose the calls of requests that hold none; nil refuses them.
	Loop *loop.Client
	// Timeout bounds one call with all its attempts; 0 means 60 s.
	Timeout time.Duration
	// KeyTTL is how long the result of a call with a key is remembered, 0 means a day;
	// Lease after which time without a sign of life the bridge that makes one is held to
	// be gone, 0 means 30 s.
	KeyTTL, Lease time.Duration

	// Fresh is how old a list of tools may be that a call is refused by, for a tool that is
	// not in it or arguments that do not fit; 0 means 5 s. An older one is read again first.
	Fresh time.Duration

	Now    func() time.Time // nil means time.Now
	Random io.Reader        // nil means crypto/rand
	Log    *slog.Logger     // nil logs nothing
	// Made is told each call once it is through, for metrics; nil tells nobody.
	Made func(Made)
}

// Made is a call that is through.
type Made struct {
	Server, Tool string         // "" where no tool was found
	Class        errclass.Class // of its failure; "" for a success
	Replayed     bool
	Attempts     int
	Took         time.Duration
}

// Backend is the tools of all upstreams as one openai.Backend. It is made by New.
type Backend struct {
	o        Options
	owner    string // names this process in leases
	catalogs catalogs
	budget   budget
	claims   claims
	checks   sync.WaitGroup // of schemas, off the way of any call
}

var _ openai.Backend = (*Backend)(nil)

// New returns the backend. It fails where there is nothing behind it, or two upstreams
// have one id.
func New(o Options) (*Backend, error) {
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.KeyTTL = cmp.Or(o.KeyTTL, 24*time.Hour)
	o.Lease = cmp.Or(o.Lease, 30*time.Second)
	o.Fresh = cmp.Or(o.Fresh, 5*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(o.Upstreams) == 0 {
		return nil, errors.New("there is no MCP server to offer the tools of")
	}
	ids := map[string]bool{}
	for _, u := range o.Upstreams {
		if ids[u.ID()] {
			return nil, fmt.Errorf("two MCP servers have the id %q", u.ID())
		}
		ids[u.ID()] = true
	}
	owner := make([]byte, 16)
	if _, err := io.ReadFull(o.Random, owner); err != nil {
		return nil, fmt.Errorf("reading random bytes: %w", err)
	}
	return &Backend{o: o, owner: hex.EncodeToString(owner), budget: newBudget()}, nil
}

// Models implements openai.Backend: each server is one, and those of the model server are.
func (b *Backend) Models(ctx context.Context) []openai.Model {
	var models []openai.Model
	for _, u := range b.o.Upstreams {
		models = append(models, openai.Model{ID: u.ID(), OwnedBy: u.State().Server.Name})
	}
	if b.o.Loop != nil {
		models = append(models, b.o.Loop.Models(ctx)...)
	}
	return models
}

// Serves implements openai.Backend: tools are called whatever the model is said to be, and
// whether a model server has it is for that to say.
func (b *Backend) Serves(context.Context, string) bool { return true }

// Chat implements openai.Backend.
func (b *Backend) Chat(ctx context.Context, r *openai.Request, reply *openai.Reply) error {
	calls := lastCalls(r.Messages)
	switch {
	case len(calls) > 0:
		return b.answer(ctx, r, calls, reply)
	case b.o.Loop != nil:
		return b.loop(ctx, r, reply)
	}
	return openai.Failure{
		Cause: refuse(errclass.InvalidArgs, "there is no call to make: the last message must be an assistant's with tool_calls, as "+
			`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"…","arguments":"{…}"}}]}; `+
			"GET /v1/tools lists the functions. To have a model choose the calls, start the bridge with --llm"),
		Param: "messages",
	}
}

// lastCalls returns the calls of the last message, which are the ones to make.
func lastCalls(messages []openai.Message) []openai.ToolCall {
	if len(messages) == 0 {
		return nil
	}
	last := messages[len(messages)-1]
	if last.Role != "assistant" {
		return nil
	}
	return last.ToolCalls
}

// refuse is a failure of the bridge's own, with nothing sent.
func refuse(class errclass.Class, format string, args ...any) errclass.Error {
	return errclass.New(class, errclass.Bridge, errclass.NotRun, fmt.Sprintf(format, args...), errclass.Call{})
}
