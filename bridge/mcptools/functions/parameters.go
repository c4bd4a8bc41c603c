package functions

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// anything is the schema of a function whose tool says nothing of its arguments.
const anything = `{"type":"object","properties":{}}`

// parametersOf makes an inputSchema acceptable as the parameters of a function, or says why
// no call can fit it. Only what OpenAI refuses is mended: a root that does not say that it is
// an object, and objects without properties. All other bytes stay as they are.
func parametersOf(input json.RawMessage) (json.RawMessage, string) {
	input = bytes.TrimSpace(input)
	switch {
	case len(input) == 0, string(input) == "null", string(input) == "true":
		return json.RawMessage(anything), ""
	case input[0] != '{':
		return nil, "its inputSchema is no JSON Schema of an object"
	}
	kind := bytes.TrimSpace(wire.Get(input, "type"))
	switch {
	case kind == nil:
		input = insert(input, []insertion{{1, member(`"type":"object"`, input[1:])}})
	case string(kind) == `"object"`:
	case slices.Contains(typesOf(kind), "object"):
		input = retyped(input)
	default:
		return nil, "its inputSchema takes no object, which arguments always are"
	}
	w := walk{dec: json.NewDecoder(bytes.NewReader(input)), raw: input}
	w.dec.UseNumber()
	w.value(aSchema)
	slices.SortFunc(w.found, func(a, b insertion) int { return a.at - b.at })
	return insert(input, w.found), ""
}

// typesOf reads the type keyword: a string or an array of them.
func typesOf(raw json.RawMessage) []string {
	if one, ok := wire.Text(raw); ok {
		return []string{one}
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// retyped has the root say only that it is an object: arguments are nothing else.
func retyped(input json.RawMessage) json.RawMessage {
	members := wire.Fields(input)
	for i := range members {
		if members[i].Name == "type" {
			members[i].Value = json.RawMessage(`"object"`)
		}
	}
	return wire.Object(members)
}

type insertion struct {
	at   int
	text string
}

// member is text to stand first in an object of which rest is all behind its brace.
func member(text string, rest []byte) string {
	if rest = bytes.TrimLeft(rest, " \t\r\n"); len(rest) > 0 && rest[0] == '}' {
		return text
	}
	return text + ","
}

func insert(raw []byte, all []insertion) json.RawMessage {
	if len(all) == 0 {
		return raw
	}
	var out bytes.Buffer
	from := 0
	for _, i := range all {
		out.Write(raw[from:i.at])
		out.WriteString(i.text)
		from = i.at
	}
	out.Write(raw[from:])
	return out.Bytes()
}
