package mcppeer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// subjects are what the library can explain, one prompt each.
func subjects() []string {
	return []string{"alphabet", "binding", "index", "ink", "margins", "paper", "printing", "spelling", "type"}
}

// addPrompts offers prompts with and without arguments, three pages of them.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/prompts
func (p *peer) addPrompts() {
	for _, subject := range subjects() {
		p.sdk.AddPrompt(&mcp.Prompt{Name: "explain_" + subject, Title: "Explain " + subject, Description: "Asks for a short explanation."},
			says(func(map[string]string) mcp.Content {
				return &mcp.TextContent{Text: "Explain " + subject + " in one paragraph."}
			}))
	}
	p.sdk.AddPrompt(&mcp.Prompt{
		Name: "summarise_book", Title: "Summarise a book", Description: "Asks for a summary of one book.",
		Arguments: []*mcp.PromptArgument{
			{Name: "book", Title: "Book", Description: "which book", Required: true},
			{Name: "length", Title: "Length", Description: "short or long"},
		},
	},
		says(func(args map[string]string) mcp.Content {
			return &mcp.TextContent{Text: fmt.Sprintf("Summarise %s (%s).", args["book"], args["length"])}
		}, "book"))
	p.sdk.AddPrompt(&mcp.Prompt{Name: "read_aloud", Title: "Read aloud", Description: "Hands over a page."},
		says(func(map[string]string) mcp.Content {
			return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: bookURI("emma"), MIMEType: "text/plain", Text: bookText("emma")}}
		}))
	p.sdk.AddPrompt(&mcp.Prompt{Name: "describe_cover", Title: "Describe a cover", Description: "Hands over a picture."},
		says(func(map[string]string) mcp.Content { return &mcp.ImageContent{Data: picture(), MIMEType: "image/png"} }))
}

// says answers with one message of the user, once the arguments that must be
// there are.
func says(content func(args map[string]string) mcp.Content, required ...string) mcp.PromptHandler {
	return func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		for _, name := range required {
			if _, given := req.Params.Arguments[name]; !given {
				return nil, invalidParams("prompt %q needs the argument %q", req.Params.Name, name)
			}
		}
		return &mcp.GetPromptResult{
			Description: "A prompt of the library.",
			Messages:    []*mcp.PromptMessage{{Role: "user", Content: content(req.Params.Arguments)}},
		}, nil
	}
}

func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// complete completes the arguments of prompts and templates.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
func (p *peer) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	choices, err := completions(req.Params.Ref, req.Params.Argument.Name)
	if err != nil {
		return nil, err
	}
	values := []string{}
	for _, c := range choices {
		if strings.HasPrefix(c, req.Params.Argument.Value) {
			values = append(values, c)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

func completions(ref *mcp.CompleteReference, argument string) ([]string, error) {
	kind, _ := strings.CutSuffix(strings.TrimPrefix(ref.URI, "library://"), "/{key}")
	switch {
	case ref.Type == "ref/prompt" && ref.Name == "summarise_book" && argument == "book":
		return titles(), nil
	case ref.Type == "ref/prompt" && ref.Name == "summarise_book" && argument == "length":
		return []string{"long", "short"}, nil
	case ref.Type == "ref/resource" && slices.Contains(kinds(), kind) && argument == "key":
		return keys(), nil
	}
	return nil, invalidParams("nothing to complete: %s has no argument %q", ref.Name+ref.URI, argument)
}
