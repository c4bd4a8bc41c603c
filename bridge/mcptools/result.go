package mcptools

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/peerwright/peerwright/bridge/mcptools/pages"
	"github.com/peerwright/peerwright/internal/wire"
)

// content is the result of a tool as the caller gets it: a list as {"data","pagination"},
// all else as {"result"}.
func (b *Backend) content(j *job, result json.RawMessage) json.RawMessage {
	if err := j.tool.ValidateResult(wire.Get(result, "structuredContent")); err != nil {
		j.problems = append(j.problems, "the result does not fit the tool's outputSchema: "+err.Error())
	}
	payload, beside := payload(result)
	if out, isList := pages.Normalize(j.source(j.paged), payload, b.o.Seal, b.o.Now()); isList {
		members, _ := wire.Members(out)
		return wire.Object(append(members, beside...))
	}
	return wire.Object(append([]wire.Member{{Name: "result", Value: payload}}, beside...))
}

// payload is what a result says, and what would be lost without standing beside it.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
func payload(result json.RawMessage) (json.RawMessage, []wire.Member) {
	blocks := blocksOf(result)
	structured := wire.Get(result, "structuredContent")
	switch {
	case len(structured) > 0 && string(structured) != "null":
		return structured, blocks.beside(structured)
	case blocks.others > 0:
		return wire.Object([]wire.Member{
			{Name: "text", Value: wire.Quote(blocks.text())},
			{Name: "content", Value: wire.Get(result, "content")},
		}), nil
	case len(blocks.texts) == 1:
		if said := bytes.TrimSpace([]byte(blocks.texts[0])); isContainer(said) {
			return said, nil
		}
	case len(blocks.texts) == 0:
		return json.RawMessage(`null`), nil
	}
	return wire.Quote(blocks.text()), nil
}

// blocks are the content of a result.
type blocks struct {
	all    json.RawMessage
	texts  []string
	others int // images, links, resources: all that is no text
}

func blocksOf(result json.RawMessage) blocks {
	b := blocks{all: wire.Get(result, "content")}
	wire.EachElement(b.all, func(item json.RawMessage) bool { // what is no list has no blocks
		kind, _ := wire.Text(wire.Get(item, "type"))
		said, ok := wire.Text(wire.Get(item, "text"))
		if kind == "text" && ok {
			b.texts = append(b.texts, said)
		} else {
			b.others++
		}
		return true
	})
	return b
}

func (b blocks) text() string { return strings.Join(b.texts, "\n") }

// beside returns what stands in the content and not in the structured content, of which
// the text is a copy by rights.
func (b blocks) beside(structured json.RawMessage) []wire.Member {
	switch {
	case b.others > 0:
		return []wire.Member{{Name: "content", Value: b.all}}
	case len(b.texts) == 0 || len(b.texts) == 1 && sameJSON([]byte(b.texts[0]), structured):
		return nil
	}
	return []wire.Member{{Name: "text", Value: wire.Quote(b.text())}}
}

func isContainer(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') && wire.Valid(raw)
}

func sameJSON(a, b []byte) bool {
	one, err := canonical(a)
	if err != nil {
		return false
	}
	other, err := canonical(b)
	return err == nil && bytes.Equal(one, other)
}

// canonical writes JSON in one way, so that equal documents are equal bytes: names in
// order, no space, the digits of numbers as they are.
func canonical(raw []byte) ([]byte, error) {
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// failureText is what a result with isError says.
func failureText(result json.RawMessage) string {
	b := blocksOf(result)
	if said := strings.TrimSpace(b.text()); said != "" {
		return said
	}
	if structured := wire.Get(result, "structuredContent"); len(structured) > 0 {
		return string(structured)
	}
	return "the tool failed and says nothing more"
}
