package toolserver

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newSDK makes the SDK's server of the tools. Validation and errors are the pipeline's:
// the SDK is given the tools raw.
func (s *Server) newSDK(tools []*entry) *mcp.Server {
	sdk := mcp.NewServer(&mcp.Implementation{Name: s.name, Version: s.opts.Version}, &mcp.ServerOptions{
		Instructions: s.opts.Instructions, PageSize: s.opts.PageSize, Logger: slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, // tools are added before it serves: the list never changes
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs, c.CacheScope = freshFor, "public" },
	})
	for _, e := range tools {
		sdk.AddTool(e.described(), s.handle)
	}
	sdk.AddReceivingMiddleware(s.catchUnknown)
	return sdk
}

// catchUnknown takes calls of tools that are not there through the pipeline too, which
// writes them down: the SDK answers them by itself.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling
func (s *Server) catchUnknown(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || s.tool(call.Params.Name) != nil {
			return next(ctx, method, req)
		}
		res := s.Call(ctx, s.callOf(ctx, call))
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: res.Text}
	}
}

// freshFor is how long a client may keep the list, in milliseconds: a new release of the
// server may have other tools.
const freshFor = 60_000

// described is the tool as clients see it: its tier sets the annotations.
//
// https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
func (e *entry) described() *mcp.Tool {
	destructive := e.tier == Destructive
	t := &mcp.Tool{
		Name: e.Name, Title: e.Title, Description: e.Description, InputSchema: e.input,
		Annotations: &mcp.ToolAnnotations{
			Title: e.Title, ReadOnlyHint: e.tier == ReadOnly, DestructiveHint: &destructive,
			IdempotentHint: e.Idempotent || e.tier == ReadOnly, OpenWorldHint: &e.OpenWorld,
		},
	}
	if e.output != nil {
		t.OutputSchema = e.output
	}
	return t
}

// handle takes a tools/call to the pipeline and back.
func (s *Server) handle(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res := s.Call(ctx, s.callOf(ctx, req))
	if res.pending != nil {
		return res.pending.toMCP(), nil //nolint:nilerr // that a question is open is no failure
	}
	return res.toMCP(), nil
}

// callOf is the call that a request asks for.
func (s *Server) callOf(ctx context.Context, req *mcp.CallToolRequest) Call {
	c := Call{
		Tool: req.Params.Name, Arguments: req.Params.Arguments, Caller: s.caller(ctx, req),
		Correlation: correlation(req), Progress: progress(ctx, req),
	}
	c.Key, _ = req.Params.GetMeta()["idempotencyKey"].(string) // any other type is no key
	c.User = &user{server: s, req: req, caller: c.Caller}
	return c
}

// toMCP is the result on the wire. A failure is a result with isError, for a model to
// read, and stands in _meta as the canonical contract has it, for a program: not in
// structuredContent, which must fit the tool's own schema.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling
func (r Result) toMCP() *mcp.CallToolResult {
	out := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}}
	meta := mcp.Meta{}
	if r.Failure != nil {
		out.IsError = true
		raw, _ := json.Marshal(*r.Failure) // its members always marshal
		var envelope struct {
			Error json.RawMessage `json:"error"`
		}
		_ = json.Unmarshal(raw, &envelope) // it was just written
		meta["error"] = envelope.Error
	} else if r.Structured != nil {
		out.StructuredContent = r.Structured
	}
	if r.Replayed {
		meta["idempotencyReplayed"] = true
	}
	if len(meta) > 0 {
		out.SetMeta(meta)
	}
	return out
}

// correlation is the trace that the client names.
//
// https://www.w3.org/TR/trace-context/#traceparent-header
func correlation(req *mcp.CallToolRequest) string {
	id, _ := req.Params.GetMeta()["traceparent"].(string)
	return id
}

// progress tells the client how far the call is, if it gave a token; what comes after
// the call ended is dropped.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
func progress(ctx context.Context, req *mcp.CallToolRequest) func(done, total float64, message string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	return func(done, total float64, message string) {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that left misses it
			ProgressToken: token, Progress: done, Total: total, Message: message,
		})
	}
}

// questionID names the one question that a call may ask.
const questionID = "confirm"

// toMCP answers a call of 2026-07-28 with the question to its user.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
func (p *pendingAnswer) toMCP() *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{questionID: elicitation(p.question)}, RequestState: p.state}
}
