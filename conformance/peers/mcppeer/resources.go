package mcppeer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func rawSchema(s string) json.RawMessage { return json.RawMessage(s) }

// titles are the books that stand in the library as resources.
func titles() []string {
	return []string{"dracula", "emma", "faust", "hamlet", "iliad", "kim", "lenz", "macbeth", "momo", "odyssey", "utopia", "walden"}
}

// kinds are the catalogues, one resource template each.
func kinds() []string {
	return []string{"authors", "awards", "branches", "genres", "languages", "loans", "publishers", "readers", "series", "shelves", "years"}
}

// keys are the entries of every catalogue.
func keys() []string { return []string{"first", "fourth", "second", "third"} }

func bookURI(title string) string { return "library://books/" + title }
func bookText(title string) string {
	return "Once upon a time there was a book called " + title + ".\n"
}

// addResources offers text and binary resources, and templates, three pages of
// each.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/resources
func (p *peer) addResources() {
	for _, title := range titles() {
		p.sdk.AddResource(&mcp.Resource{
			URI: bookURI(title), Name: title, Title: "The book " + title,
			Description: "The whole text.", MIMEType: "text/plain", Size: int64(len(bookText(title))),
		}, fixedText(bookText(title)))
	}
	p.sdk.AddResource(&mcp.Resource{
		URI: "library://pictures/cover.png", Name: "cover", Title: "A cover", MIMEType: "image/png",
		Size: int64(len(picture())),
	}, fixedBlob(picture()))
	p.sdk.AddResource(&mcp.Resource{URI: "library://catalogue.json", Name: "catalogue", Title: "The catalogue", MIMEType: "application/json"},
		fixedText(`{"books":`+fmt.Sprint(len(titles()))+`}`))
	for _, kind := range kinds() {
		p.sdk.AddResourceTemplate(&mcp.ResourceTemplate{
			URITemplate: "library://" + kind + "/{key}", Name: kind,
			Title: "The catalogue of " + kind, Description: "One entry of the catalogue.", MIMEType: "text/plain",
		}, readEntry)
	}
}

func fixedText(s string) mcp.ResourceHandler {
	return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: s}}}, nil
	}
}

func fixedBlob(b []byte) mcp.ResourceHandler {
	return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Blob: b}}}, nil
	}
}

// readEntry reads what a template stands for; an entry that is not in the
// catalogue is not found.
func readEntry(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	kind, key, _ := strings.Cut(strings.TrimPrefix(req.Params.URI, "library://"), "/")
	if !slices.Contains(keys(), key) {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: req.Params.URI, Text: fmt.Sprintf("The %s entry of the catalogue of %s.\n", key, kind)},
	}}, nil
}
