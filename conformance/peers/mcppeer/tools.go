package mcppeer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addTools offers the tools: enough of them for three pages, and one for each
// thing that a tool may do.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools
func (p *peer) addTools() {
	p.addPlainTools()
	p.addSlowTools()
	p.addContentTools()
	if !p.opts.ToolsOnly {
		p.addNoteTools() // they keep resources
	}
}

// reads describes a tool that only reads, and of a closed world.
func reads(name, title, description string) *mcp.Tool {
	no := false
	return &mcp.Tool{
		Name: name, Title: title, Description: description,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no},
	}
}

// withInput gives the tool a hand-written input schema.
func withInput(t *mcp.Tool, schema string) *mcp.Tool {
	t.InputSchema = json.RawMessage(schema)
	return t
}

type sumInput struct {
	A int `json:"a" jsonschema:"the first number"`
	B int `json:"b" jsonschema:"the second number"`
}

type sumOutput struct {
	Sum int `json:"sum" jsonschema:"a and b together"`
}

type none struct{}

func (p *peer) addPlainTools() {
	mcp.AddTool(p.sdk, reads("add_numbers", "Add two numbers", "Adds two whole numbers."),
		func(_ context.Context, _ *mcp.CallToolRequest, in sumInput) (*mcp.CallToolResult, sumOutput, error) {
			return nil, sumOutput{in.A + in.B}, nil
		})
	mcp.AddTool(p.sdk, reads("house_motto", "The motto", "Tells the motto of the library."),
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			return text("Read slowly."), nil, nil
		})
	mcp.AddTool(p.sdk, reads("say_nothing", "Silence", "Answers with no content at all."),
		func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{}}, nil, nil
		})
	mcp.AddTool(p.sdk, withInput(reads("open_locked_shelf", "The locked shelf", "Fails always: the shelf is locked."),
		`{"type":"object","properties":{"reason":{"type":"string","description":"why it should be opened"}}}`),
		func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
			return nil, nil, errors.New("the shelf is locked, and nobody has the key")
		})
	mcp.AddTool(p.sdk, withInput(reads("shelf_report", "Report on a shelf", "Says what stands on a shelf."), shelfSchema), shelfReport)
	mcp.AddTool(p.sdk, withInput(reads("plan_reading", "Plan a reading list", "Orders what a reader wants to read."), planSchema), planReading)
	p.addBookList()
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// shelfSchema asks HTTP clients to show the shelf in a header.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension
const shelfSchema = `{"type":"object","properties":{
 "shelf":{"type":"string","enum":["east","west","cellar"],"description":"which shelf","x-mcp-header":"` + shelfHeader + `"},
 "detail":{"type":"boolean","default":false}},"required":["shelf"]}`

// shelfHeader is the part of the header's name after Mcp-Param-.
const shelfHeader = "Shelf"

func shelfReport(_ context.Context, _ *mcp.CallToolRequest, in map[string]any) (*mcp.CallToolResult, any, error) {
	return text(fmt.Sprintf("The %v shelf is in order.", in["shelf"])), nil, nil
}

const planSchema = `{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","properties":{
 "reader":{"type":"object","properties":{
   "name":{"type":"string","minLength":1},
   "age":{"type":"integer","minimum":0,"maximum":150},
   "pace":{"type":"string","enum":["slow","steady","fast"],"default":"steady"}},"required":["name"]},
 "books":{"type":"array","minItems":1,"maxItems":10,"items":{"$ref":"#/$defs/wish"}}},
 "required":["reader","books"],
 "$defs":{"wish":{"type":"object","properties":{"title":{"type":"string"},"weeks":{"type":"integer","minimum":1,"default":1}},"required":["title"]}}}`

type plan struct {
	Reader struct {
		Name string `json:"name"`
		Pace string `json:"pace"`
	} `json:"reader"`
	Books []struct {
		Title string `json:"title"`
		Weeks int    `json:"weeks"`
	} `json:"books"`
}

func planReading(_ context.Context, _ *mcp.CallToolRequest, in plan) (*mcp.CallToolResult, any, error) {
	titles := make([]string, 0, len(in.Books))
	for _, b := range in.Books {
		titles = append(titles, b.Title)
	}
	return text(in.Reader.Name + " reads: " + strings.Join(titles, ", ")), nil, nil
}

type waitInput struct {
	Milliseconds int `json:"milliseconds,omitempty" jsonschema:"how long to wait, 1500 when left out"`
}

type stepInput struct {
	Steps int `json:"steps,omitempty" jsonschema:"how many steps to take, 5 when left out"`
}

// The tools that take time take so much of it at most.
const (
	defaultWait  = 1500
	longestWait  = 10_000
	defaultSteps = 5
	mostSteps    = 100
)

func (p *peer) addSlowTools() {
	mcp.AddTool(p.sdk, withInput(reads("wait_for_quiet", "Wait", "Waits, and stops waiting when it is cancelled."),
		fmt.Sprintf(`{"type":"object","properties":{"milliseconds":{"type":"integer","minimum":0,"maximum":%d,"default":%d}}}`, longestWait, defaultWait)),
		p.wait)
	mcp.AddTool(p.sdk, withInput(reads("count_books", "Count the books", "Counts step by step, and reports progress to whoever gave a token."),
		fmt.Sprintf(`{"type":"object","properties":{"steps":{"type":"integer","minimum":1,"maximum":%d,"default":%d}}}`, mostSteps, defaultSteps)),
		p.count)
	mcp.AddTool(p.sdk, withInput(reads("tell_the_log", "Write to the log", "Sends one log message at each level."),
		`{"type":"object","properties":{"about":{"type":"string","default":"the weather"}}}`), p.log)
}

func (p *peer) wait(ctx context.Context, req *mcp.CallToolRequest, in waitInput) (*mcp.CallToolResult, any, error) {
	const ticks = 10
	whole := time.Duration(in.Milliseconds) * time.Millisecond
	for i := range ticks {
		if err := pause(ctx, whole/ticks); err != nil {
			return nil, nil, fmt.Errorf("waiting: %w", err)
		}
		p.progress(ctx, req, i+1, ticks)
	}
	return text(fmt.Sprintf("Waited for %d ms.", in.Milliseconds)), nil, nil
}

func (p *peer) count(ctx context.Context, req *mcp.CallToolRequest, in stepInput) (*mcp.CallToolResult, any, error) {
	for i := range in.Steps {
		if err := pause(ctx, p.opts.Step); err != nil {
			return nil, nil, fmt.Errorf("counting: %w", err)
		}
		p.progress(ctx, req, i+1, in.Steps)
	}
	return text(fmt.Sprintf("Counted in %d steps.", in.Steps)), nil, nil
}

// progress tells the client how far the call is, when it asked to be told.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
func (p *peer) progress(ctx context.Context, req *mcp.CallToolRequest, done, total int) {
	token := req.Params.GetProgressToken()
	if token == nil || ctx.Err() != nil {
		return
	}
	_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that left misses it
		ProgressToken: token, Progress: float64(done), Total: float64(total), Message: fmt.Sprintf("%d of %d", done, total)})
}

func (p *peer) log(ctx context.Context, req *mcp.CallToolRequest, in map[string]any) (*mcp.CallToolResult, any, error) {
	for _, level := range []string{"debug", "info", "warning", "error"} {
		_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{ //nolint:staticcheck // deprecated in 2026-07-28, and still part of it
			Level: mcp.LoggingLevel(level), Logger: "library", Data: fmt.Sprintf("a word about %v", in["about"])})
	}
	return text("Said it at four levels."), nil, nil
}
