package mcpschema

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Error says where a value is not what the specification defines, and what was
// expected there. Of several faults it is the outermost, so that one cause is told
// once; the zero value is no fault anybody returns.
type Error struct {
	Path    string // JSON pointer into the value; "" is the value itself
	Message string
}

// Error implements the error interface.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return "at " + e.Path + ": " + e.Message
}

// maxText bounds both texts of an Error: what a peer sends stands in them.
const maxText = 200

// explain makes an Error of what the validator found in value.
func explain(err error, value any) error {
	var breach *jsonschema.ValidationError
	if !errors.As(err, &breach) {
		return &Error{Message: clip(err.Error(), maxText)}
	}
	first := slices.MinFunc(leaves(breach), func(a, b Error) int {
		return cmp.Or(
			cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")),
			cmp.Compare(len(a.Path), len(b.Path)), // /tools/2 before /tools/10
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message),
		)
	})
	if strings.HasPrefix(first.Message, "value must be ") {
		if got, err := json.Marshal(at(value, first.Path)); err == nil {
			first.Message += ", but it is " + clip(string(got), 60)
		}
	}
	return &Error{Path: clip(first.Path, maxText), Message: clip(first.Message, maxText)}
}

// at follows a JSON pointer into the value.
func at(value any, pointer string) any {
	for _, step := range strings.Split(pointer, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			value = v[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		}
	}
	return value
}

// leaves lists what went wrong, without the schemas on the way there. Alternatives of
// which none fits are one fault.
func leaves(e *jsonschema.ValidationError) []Error {
	if strings.HasSuffix(e.KeywordLocation, "/anyOf") {
		return []Error{{Path: pointer(e), Message: alternatives(e)}}
	}
	if len(e.Causes) == 0 {
		return []Error{{Path: pointer(e), Message: e.Message}}
	}
	var all []Error
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// pointer returns where the fault is. The validator escapes its pointers for URLs.
func pointer(e *jsonschema.ValidationError) string {
	plain, err := url.PathUnescape(e.InstanceLocation)
	if err != nil {
		return e.InstanceLocation
	}
	return plain
}

func alternatives(e *jsonschema.ValidationError) string {
	var each []string
	for _, cause := range e.Causes {
		each = append(each, leaves(cause)[0].Message)
	}
	return strings.Join(each, ", or ")
}

// clip shortens a text to n bytes or a few more.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
