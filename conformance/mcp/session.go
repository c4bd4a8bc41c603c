package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Session is a case's hand on a server. The embedded client speaks the negotiated
// revision.
type Session struct {
	*mcp.Client
	Facts *Facts // what the survey found

	target   *Target
	conv     *conversation
	own      bool            // the conversation is this session's alone
	children []*conversation // bare ones opened by this session
	frames   int             // where this session's frames begin
	stray    int             // where this session's stray messages begin
}

func newSession(t *Target, conv *conversation, own bool) *Session {
	return &Session{
		Client: conv.client, Facts: t.facts, target: t, conv: conv, own: own,
		frames: conv.transcript.Len(), stray: conv.strayCount(),
	}
}

// on makes the Run of a case from a function on a Session.
func on(run func(ctx context.Context, c *conformance.Check, s *Session)) func(context.Context, *conformance.Check, conformance.Peer) {
	return func(ctx context.Context, c *conformance.Check, p conformance.Peer) {
		s, ok := p.(*Session)
		if !ok {
			c.Broken("an MCP case was given a %T", p)
		}
		defer s.excuse(c) // however the case ends
		run(ctx, c, s)
	}
}

// Frames returns what travelled since the session began, the conversations that it
// opened included.
func (s *Session) Frames() []wire.Frame {
	frames := s.conv.transcript.Frames(s.frames)
	for _, child := range s.children {
		frames = append(frames, child.transcript.Frames(0)...)
	}
	return frames
}

// Release ends the session's own conversations; a shared one is left to the next
// case unless this one was rough, or failed, and the server does not answer any more.
func (s *Session) Release(ctx context.Context, failed bool) {
	for _, child := range s.children {
		s.target.retire(ctx, child)
	}
	if s.own {
		s.target.retire(ctx, s.conv)
		return
	}
	if (failed || s.conv.hostile) && !s.sound(ctx) {
		s.target.giveUp(ctx, s.conv)
	}
}

// sound tells whether the server still answers a good request.
func (s *Session) sound(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, soundness)
	defer cancel()
	reply, err := s.Request(ctx, s.harmless(), nil)
	return err == nil && reply.Error == nil
}

// soundness is how long a server may take for next to nothing after it was treated
// roughly.
const soundness = 2 * time.Second

// Ask sends a good request and returns the answer, which may be a JSON-RPC error.
// It ends the case when there is none. params is anything that marshals; nil sends
// none.
func (s *Session) Ask(ctx context.Context, c *conformance.Check, method string, params any) rpc.Reply {
	reply, err := s.Request(ctx, method, encode(c, params))
	c.Answered(err, method)
	return reply
}

// Must is Ask for a request that has to succeed: it ends the case on an error.
func (s *Session) Must(ctx context.Context, c *conformance.Check, method string, params any) json.RawMessage {
	reply := s.Ask(ctx, c, method, params)
	c.That(reply.Error == nil, "a result of "+method, "%v", reply.Error)
	return reply.Result
}

// AskID is Ask under an id of the case's choosing.
func (s *Session) AskID(ctx context.Context, c *conformance.Check, id wire.ID, method string, params any) rpc.Reply {
	reply, err := s.Call(ctx, rpc.Request{ID: id, Raw: s.Compose(id, method, encode(c, params))})
	c.Answered(err, method+" with id "+id.String())
	return reply
}

// Bare opens a conversation in which nothing was said yet: no handshake, no
// revision. It is closed with the session.
func (s *Session) Bare(ctx context.Context, c *conformance.Check) *Session {
	conv, err := s.target.bare(ctx)
	if err != nil {
		c.Broken("a new connection could not be had: %v", err)
	}
	s.children = append(s.children, conv)
	return newSession(s.target, conv, false)
}

// Fresh opens another good conversation, with the handshake where the revision has
// one. It is closed with the session.
func (s *Session) Fresh(ctx context.Context, c *conformance.Check) *Session {
	conv, err := s.target.connect(ctx)
	if err != nil { // what is wrong with it is not what the case is about
		c.Broken("a new conversation could not be had: %v", err)
	}
	s.children = append(s.children, conv)
	return newSession(s.target, conv, false)
}

// Stray returns what came since the session began and answered no request:
// notifications, requests, second answers, lines that are not messages.
func (s *Session) Stray() []transport.Incoming { return s.conv.straySince(s.stray) }

// Await returns the first stray thing that want accepts, waiting at most d.
func (s *Session) Await(ctx context.Context, d time.Duration, want func(transport.Incoming) bool) (transport.Incoming, bool) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return s.conv.await(ctx, s.stray, want)
}

// CallTool calls a tool that may be called, and notes why. The reply may be a
// JSON-RPC error or hold isError.
func (s *Session) CallTool(ctx context.Context, c *conformance.Check, tool Tool, args json.RawMessage, why string) rpc.Reply {
	s.Note(tool.Name, why)
	return s.Ask(ctx, c, "tools/call", map[string]any{"name": tool.Name, "arguments": args})
}

// CallWith is CallTool with the tool's own Args, and members in _meta.
func (s *Session) CallWith(ctx context.Context, c *conformance.Check, tool Tool, why string, meta map[string]any) rpc.Reply {
	s.Note(tool.Name, why)
	return s.Ask(ctx, c, "tools/call", map[string]any{"name": tool.Name, "arguments": tool.Args, "_meta": meta})
}

// Note puts a call into the books, for a case that composes it by itself.
func (s *Session) Note(tool, why string) { s.target.ledger.note(tool, why) }

func encode(c *conformance.Check, params any) json.RawMessage {
	if params == nil {
		return nil
	}
	if raw, ok := params.(json.RawMessage); ok {
		return raw
	}
	raw, err := wire.Marshal(params)
	if err != nil {
		c.Broken("composing params: %v", err)
	}
	return raw
}

// describe puts a reply into a few words, for what a case says it saw.
func describe(r rpc.Reply) string {
	switch {
	case r.Error != nil:
		return fmt.Sprintf("error %d %q", r.Error.Code, clip(r.Error.Message, 200))
	case r.Result != nil:
		return "result " + clip(string(r.Result), 200)
	}
	return clip(string(r.Raw), 200)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
