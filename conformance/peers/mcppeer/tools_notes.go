package mcppeer

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type noteInput struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

const noteSchema = `{"type":"object","properties":{
 "name":{"type":"string","pattern":"^[a-z]{1,20}$","description":"the name of the note"},
 "text":{"type":"string","maxLength":10000}},"required":["name","text"]}`

const noteNameSchema = `{"type":"object","properties":{"name":{"type":"string","pattern":"^[a-z]{1,20}$"}},"required":["name"]}`

// addNoteTools offers the tools that change something: they say so, and nothing
// calls them but a user who allows it by name.
func (p *peer) addNoteTools() {
	yes, no := true, false
	mcp.AddTool(p.sdk, &mcp.Tool{
		Name: "note_put", Title: "Keep a note", InputSchema: rawSchema(noteSchema),
		Description: "Keeps a note as a resource; a second note of that name replaces the first.",
		Annotations: &mcp.ToolAnnotations{Title: "Keep a note", IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
	}, p.putNote)
	mcp.AddTool(p.sdk, &mcp.Tool{
		Name: "note_burn", Title: "Burn a note", InputSchema: rawSchema(noteNameSchema),
		Description: "Destroys the note of that name.",
		Annotations: &mcp.ToolAnnotations{Title: "Burn a note", DestructiveHint: &yes, OpenWorldHint: &no},
	}, p.burnNote)
}

func noteURI(name string) string { return "library://notes/" + name }

func (p *peer) putNote(ctx context.Context, _ *mcp.CallToolRequest, in noteInput) (*mcp.CallToolResult, any, error) {
	uri := noteURI(in.Name)
	p.sdk.AddResource(&mcp.Resource{URI: uri, Name: in.Name, Title: "Note " + in.Name, MIMEType: "text/plain"}, fixedText(in.Text))
	_ = p.sdk.ResourceUpdated(context.WithoutCancel(ctx), &mcp.ResourceUpdatedNotificationParams{URI: uri}) // whoever listens
	return text("Kept."), nil, nil
}

func (p *peer) burnNote(_ context.Context, _ *mcp.CallToolRequest, in noteInput) (*mcp.CallToolResult, any, error) {
	p.sdk.RemoveResources(noteURI(in.Name))
	return text(fmt.Sprintf("There is no note %q any more.", in.Name)), nil, nil
}
