package mcptools

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/peerwright/peerwright/bridge/mcptools/functions"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
)

// Function is a tool as GET /v1/tools lists it: what goes into the tools member of a chat
// completion request, and beside it what MCP says of it.
type Function struct {
	Type     string       `json:"type"`
	Function functionSpec `json:"function"`
	MCP      *origin      `json:"mcp,omitempty"`
}

type functionSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type origin struct {
	Server       string          `json:"server"`
	Name         string          `json:"name"`
	Mutates      bool            `json:"mutates"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
}

func spec(t functions.Tool) functionSpec {
	return functionSpec{Name: t.Function, Description: t.Description, Parameters: t.Parameters}
}

// Functions lists the tools that the credential may see, and what is wrong with the lists.
// It fails where no list could be had at all.
func (b *Backend) Functions(ctx context.Context, c upstream.Credential) ([]Function, []string, error) {
	found := b.catalog(ctx, c, 0)
	if len(found.missing) == len(b.o.Upstreams) {
		return nil, nil, found.missing[0]
	}
	problems := slices.Clone(found.problems)
	for _, p := range found.Check() {
		problems = append(problems, p.String())
	}
	for _, err := range found.missing {
		problems = append(problems, err.Error())
	}
	list := []Function{}
	for _, t := range found.Tools() {
		list = append(list, Function{"function", spec(t), &origin{t.Server, t.Name, t.Mutates, t.RawAnnotations, t.OutputSchema}})
	}
	return list, problems, nil
}

// Route is GET /v1/tools.
func (b *Backend) Route() openai.Route {
	return openai.Route{Pattern: "GET /v1/tools", Handler: http.HandlerFunc(b.serveTools)}
}

func (b *Backend) serveTools(w http.ResponseWriter, r *http.Request) {
	who := openai.IdentityOf(r.Context())
	list, problems, err := b.Functions(r.Context(), upstream.Credential(who.Upstream))
	if err != nil {
		openai.WriteError(w, b.o.Now(), err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // a client that is gone reads nothing
		Object   string     `json:"object"`
		Data     []Function `json:"data"`
		Problems []string   `json:"problems,omitempty"`
	}{"list", list, problems})
}
