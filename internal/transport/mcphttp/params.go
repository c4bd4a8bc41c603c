package mcphttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// ParamHeader is an argument of a tool that travels as a header too.
type ParamHeader struct {
	Name string   // what follows Mcp-Param-
	Path []string // the properties that lead from the arguments to the value
}

// ErrParamHeader is wrapped by every error that says why a tool's x-mcp-header
// annotations are not allowed. A client is to leave out such a tool.
var ErrParamHeader = errors.New("x-mcp-header is not allowed here")

// ParamHeaders reads the x-mcp-header annotations of a tool's inputSchema, in
// document order.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension
func ParamHeaders(inputSchema json.RawMessage) ([]ParamHeader, error) {
	r := paramReader{seen: map[string]bool{}}
	if err := r.schema(inputSchema, nil, true); err != nil {
		return nil, err
	}
	return r.found, nil
}

// maxSchemaDepth bounds the walk through a hostile schema.
const maxSchemaDepth = 200

type paramReader struct {
	found []ParamHeader
	seen  map[string]bool // names in lower case
	depth int
}

// schema reads one schema object; reachable says that only "properties" led to it.
func (r *paramReader) schema(raw json.RawMessage, path []string, reachable bool) error {
	if r.depth++; r.depth > maxSchemaDepth {
		return fmt.Errorf("%w: the schema is nested deeper than %d", ErrParamHeader, maxSchemaDepth)
	}
	defer func() { r.depth-- }()
	members, err := wire.Members(raw)
	if err != nil {
		return nil // true, false and what is no schema have no annotation
	}
	for _, m := range members {
		if err := r.keyword(m, raw, path, reachable); err != nil {
			return err
		}
	}
	return nil
}

func (r *paramReader) keyword(m wire.Member, schema json.RawMessage, path []string, reachable bool) error {
	switch m.Name {
	case "x-mcp-header":
		return r.annotation(m.Value, schema, path, reachable)
	case "properties":
		return r.properties(m.Value, path, reachable)
	case "const", "enum", "default", "examples":
		return nil // values, not schemas
	default:
		return r.elsewhere(m.Value)
	}
}

func (r *paramReader) properties(raw json.RawMessage, path []string, reachable bool) error {
	members, _ := wire.Members(raw) // what is no object has no properties
	for _, m := range members {
		below := append(append([]string(nil), path...), m.Name)
		if err := r.schema(m.Value, below, reachable); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere looks for annotations below any other keyword, where none may stand.
func (r *paramReader) elsewhere(raw json.RawMessage) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return r.schema(raw, nil, false)
	}
	for _, item := range items {
		if err := r.elsewhere(item); err != nil {
			return err
		}
	}
	return nil
}

func (r *paramReader) annotation(value, schema json.RawMessage, path []string, reachable bool) error {
	name, ok := wire.Text(value)
	kind, _ := wire.Text(wire.Get(schema, "type"))
	at := strings.Join(path, ".")
	switch {
	case !reachable || len(path) == 0:
		return fmt.Errorf("%w: %q stands where not only properties lead", ErrParamHeader, name)
	case !ok || !isToken(name):
		return fmt.Errorf("%w: the name %s of property %s is no HTTP token", ErrParamHeader, value, at)
	case kind != "string" && kind != "integer" && kind != "boolean":
		return fmt.Errorf("%w: property %s has type %q; want string, integer or boolean", ErrParamHeader, at, kind)
	case r.seen[strings.ToLower(name)]:
		return fmt.Errorf("%w: the name %q stands twice", ErrParamHeader, name)
	}
	r.seen[strings.ToLower(name)] = true
	r.found = append(r.found, ParamHeader{Name: name, Path: path})
	return nil
}

// isToken tells whether s may be (part of) a header name.
//
// https://www.rfc-editor.org/rfc/rfc9110#name-tokens
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// Value returns the text of the argument that the header carries, not yet encoded,
// and false when there is none to send: it is absent, null, or of another type.
func (p ParamHeader) Value(arguments json.RawMessage) (string, bool) {
	raw := wire.Path(arguments, p.Path...)
	if len(raw) == 0 {
		return "", false
	}
	switch raw[0] {
	case '"':
		return wire.Text(raw)
	case 't', 'f':
		return string(raw), true
	case 'n', '{', '[':
		return "", false
	default:
		return integerText(string(raw))
	}
}

// integerText writes a JSON number without fraction in decimal digits.
func integerText(number string) (string, bool) {
	if !strings.ContainsAny(number, ".eE") {
		return number, true
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53-1 {
		return "", false
	}
	return strconv.FormatInt(int64(f), 10), true
}
