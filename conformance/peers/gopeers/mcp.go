package gopeers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pageSize makes every list of the server have more than one page.
const pageSize = 3

// MCP serves MCP over Streamable HTTP: with sessions, which the SDK has for the
// revisions up to 2025-11-25, or without, which it needs for 2026-07-28.
func MCP(stateless bool) http.Handler {
	server := newMCP()
	options := &mcp.StreamableHTTPOptions{Stateless: stateless}
	if !stateless {
		options.EventStore = mcp.NewMemoryEventStore(nil)
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
}

// MCPStdio serves MCP over newline-delimited JSON until r ends or the context does.
func MCPStdio(ctx context.Context, r io.ReadCloser, w io.WriteCloser) error {
	if err := newMCP().Run(ctx, &mcp.IOTransport{Reader: r, Writer: w}); err != nil {
		return fmt.Errorf("serving stdio: %w", err)
	}
	return nil
}

type nothing struct{}

type addition struct {
	A int `json:"a"`
	B int `json:"b"`
}

type sum struct {
	Sum int `json:"sum"`
}

type steps struct {
	Steps int `json:"steps,omitempty" jsonschema:"how many steps to take, 5 when left out"`
}

type duration struct {
	Milliseconds int `json:"milliseconds,omitempty" jsonschema:"how long to wait, 1500 when left out"`
}

func newMCP() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "go-mcp-peer", Version: "1.0.0"}, &mcp.ServerOptions{
		PageSize:          pageSize,
		CompletionHandler: complete,
		SubscribeHandler:  func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error {
			return nil
		},
	})
	addTools(s)
	for i := range 2*pageSize + 1 {
		name := fmt.Sprintf("text-%d", i)
		s.AddResource(&mcp.Resource{URI: "peer://texts/" + name, Name: name, MIMEType: "text/plain"}, read)
		s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: fmt.Sprintf("peer://drawer-%d/{key}", i), Name: name, MIMEType: "text/plain"}, read)
		s.AddPrompt(&mcp.Prompt{Name: name, Arguments: []*mcp.PromptArgument{{Name: "about"}}}, prompt)
	}
	return s
}

func addTools(s *mcp.Server) {
	reads := func(name, description string) *mcp.Tool {
		return &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
	}
	mcp.AddTool(s, reads("add", "Adds two numbers."), func(_ context.Context, _ *mcp.CallToolRequest, in addition) (*mcp.CallToolResult, sum, error) {
		return nil, sum{in.A + in.B}, nil
	})
	mcp.AddTool(s, reads("motto", "Tells the motto."), func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Measure twice."}}}, nil, nil
	})
	mcp.AddTool(s, reads("fail", "Fails always."), func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("this tool always fails")
	})
	mcp.AddTool(s, reads("steps", "Takes steps, and reports progress."), takeSteps)
	mcp.AddTool(s, reads("wait", "Waits, until it is cancelled."), wait)
	mcp.AddTool(s, reads("log", "Sends a log message."), func(ctx context.Context, req *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
		err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "error", Data: "a word"}) //nolint:staticcheck // deprecated, and still part of the protocol
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "logged"}}}, nil, err
	})
	mcp.AddTool(s, &mcp.Tool{Name: "forget", Description: "Forgets everything."}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "forgotten"}}}, nil, nil
	})
}

func takeSteps(ctx context.Context, req *mcp.CallToolRequest, in steps) (*mcp.CallToolResult, any, error) {
	if in.Steps <= 0 || in.Steps > 100 {
		in.Steps = 5
	}
	for i := range in.Steps {
		if token := req.Params.GetProgressToken(); token != nil {
			if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: float64(in.Steps)}); err != nil {
				return nil, nil, fmt.Errorf("telling the progress: %w", err)
			}
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
}

func wait(ctx context.Context, _ *mcp.CallToolRequest, in duration) (*mcp.CallToolResult, any, error) {
	if in.Milliseconds <= 0 || in.Milliseconds > 10_000 {
		in.Milliseconds = 1500
	}
	select {
	case <-time.After(time.Duration(in.Milliseconds) * time.Millisecond):
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "waited"}}}, nil, nil
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("waiting: %w", context.Cause(ctx))
	}
}

func read(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: "This is " + req.Params.URI}}}, nil
}

func prompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := "Tell me of " + req.Params.Arguments["about"]
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}

func complete(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"ink", "paper"}, Total: 2}}, nil
}
