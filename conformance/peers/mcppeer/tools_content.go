package mcppeer

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type book struct {
	Title string `json:"title"`
	Year  int    `json:"year"`
}

type bookList struct {
	Books []book `json:"books"`
}

func books() []book {
	return []book{{"Emma", 1815}, {"Walden", 1854}, {"Middlemarch", 1871}}
}

// addBookList offers a tool whose structured output is an array where the era
// allows that, and an object before.
//
// https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content
func (p *peer) addBookList() {
	tool := reads("list_books", "List the books", "Lists the books with the year each came out.")
	if p.era == modernEra {
		mcp.AddTool(p.sdk, tool, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, []book, error) {
			return nil, books(), nil
		})
		return
	}
	mcp.AddTool(p.sdk, tool, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, bookList, error) {
		return nil, bookList{books()}, nil
	})
}

// since is a content type and the revision that brought it.
type since struct {
	name, title, revision string
	content               mcp.Content
}

func contents() []since {
	size := int64(len(bookText("emma")))
	return []since{
		{"show_picture", "A picture", rev2024, &mcp.ImageContent{Data: picture(), MIMEType: "image/png"}},
		{"play_sound", "A sound", rev2025a, &mcp.AudioContent{Data: sound(), MIMEType: "audio/wav"}},
		{"show_page", "A page", rev2024, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: bookURI("emma"), MIMEType: "text/plain", Text: bookText("emma"),
		}}},
		{"point_to_book", "Where a book stands", rev2025b, &mcp.ResourceLink{
			URI: bookURI("emma"), Name: "emma", Title: "Emma", MIMEType: "text/plain", Size: &size,
		}},
	}
}

// addContentTools offers one tool for each type of content. A session of a
// revision that does not know the type is told so in text.
func (p *peer) addContentTools() {
	for _, c := range contents() {
		mcp.AddTool(p.sdk, reads(c.name, c.title, "Answers with "+c.title+"."),
			func(_ context.Context, req *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
				if p.revision(req.Session) < c.revision {
					return text(fmt.Sprintf("%s needs revision %s or later.", c.title, c.revision)), nil, nil
				}
				return &mcp.CallToolResult{Content: []mcp.Content{c.content}}, nil, nil
			})
	}
}

// picture is a red PNG of one pixel.
func picture() []byte {
	return []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
		"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")
}

// sound is a WAV file of one silent sample.
func sound() []byte {
	return []byte("RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00")
}
