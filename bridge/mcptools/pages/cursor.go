package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/wire"
)

const prefix = "pwc1." // of a sealed cursor; the digit is its version

// maxAge is how long a cursor is taken.
const maxAge = 30 * 24 * time.Hour

// cursor is what is sealed.
type cursor struct {
	Server string          `json:"s"`
	Tool   string          `json:"t"`
	Caller string          `json:"c"`
	Param  string          `json:"p"`
	Value  json.RawMessage `json:"n"` // with its type and digits
	Others string          `json:"a"` // digest of the other arguments
	Issued int64           `json:"i"` // Unix seconds
}

// pagination is the member that tells what follows.
func (s Source) pagination(n following, sealer *seal.Sealer, now time.Time) wire.Member {
	text := json.RawMessage("null")
	if n.param != "" {
		raw, err := wire.Marshal(cursor{s.Server, s.Tool, s.Caller, n.param, n.value, others(s.Args, n.param), now.Unix()})
		if err == nil {
			text = wire.Quote(sealer.Seal(prefix, raw))
		}
	}
	more := json.RawMessage("false")
	if n.more {
		more = json.RawMessage("true")
	}
	members := []wire.Member{{Name: "has_more", Value: more}, {Name: "cursor", Value: text}}
	if n.note != "" {
		members = append(members, wire.Member{Name: "note", Value: wire.Quote(n.note)})
	}
	return wire.Member{Name: "pagination", Value: wire.Object(members)}
}

// others is a digest of the arguments without that one, however they are written.
func others(args json.RawMessage, param string) string {
	all := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	_ = d.Decode(&all) // arguments that are no object are as none
	delete(all, param)
	raw, _ := json.Marshal(all) // what was decoded can be written; names are in order
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// Resume puts the upstream's own value in the place of a cursor of ours, which stands under
// the name cursor or under that of the tool's parameter. Arguments without one come back as
// they are, with false. An error is the fault of whoever wrote the arguments.
func Resume(s Source, sealer *seal.Sealer, now time.Time) (args json.RawMessage, resumed bool, err error) {
	name, text := sealed(s.Args)
	if name == "" && s.strange() {
		return nil, false, errors.New("the cursor is not of this bridge, and the tool has no such argument; start again without one")
	}
	if name == "" {
		return s.Args, false, nil
	}
	raw, err := sealer.Open(prefix, text)
	var c cursor
	if err != nil || json.Unmarshal(raw, &c) != nil {
		return nil, false, errors.New("the cursor was altered, or is not of this bridge; start again without one")
	}
	var rest []wire.Member
	for _, m := range wire.Fields(s.Args) {
		if m.Name != name && m.Name != c.Param {
			rest = append(rest, m)
		}
	}
	switch {
	case c.Server != s.Server || c.Tool != s.Tool:
		return nil, false, errors.New("the cursor belongs to another tool")
	case c.Caller != s.Caller:
		return nil, false, errors.New("the cursor belongs to another caller")
	case name != "cursor" && name != c.Param:
		return nil, false, errors.New("the cursor stands under the wrong name; pass it as cursor or as " + c.Param)
	case now.Sub(time.Unix(c.Issued, 0)) > maxAge:
		return nil, false, errors.New("the cursor is too old; start again without one")
	case others(wire.Object(rest), c.Param) != c.Others:
		return nil, false, errors.New("the cursor belongs to other arguments; pass it with those of the first call")
	}
	return wire.Object(append(rest, wire.Member{Name: c.Param, Value: c.Value})), true, nil
}

// strange tells whether there is a cursor that the tool does not know: it would be ignored,
// and the first page come again and again.
func (s Source) strange() bool {
	properties := wire.Get(s.Schema, "properties")
	_, isText := wire.Text(wire.Get(s.Args, "cursor"))
	return isText && properties != nil && wire.Get(properties, "cursor") == nil
}

// sealed finds the argument that is a cursor of ours, or was one before it was altered.
func sealed(args json.RawMessage) (name, text string) {
	for _, m := range wire.Fields(args) {
		v, ok := wire.Text(m.Value)
		if ok && (strings.HasPrefix(v, prefix) || isCursor(m.Name) && resembles(v)) {
			return m.Name, v
		}
	}
	return "", ""
}

func isCursor(name string) bool {
	key := plain(name)
	return slices.Contains(tokenParams, key) || slices.Contains(pageParams, key) || slices.Contains(offsetParams, key) || slices.Contains(urlParams, key)
}

// resembles tells whether a text is a cursor of ours but for its prefix. It must not go
// upstream, where it would be taken for who knows what.
func resembles(text string) bool {
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "pwc") && strings.Contains(text, ".") {
		return true
	}
	at := strings.Index(text, begins)
	if at < 0 {
		return false
	}
	text = text[at:]
	whole := len(text) &^ 3 // a text of whole groups decodes as far as it is unharmed
	raw := make([]byte, base64.RawURLEncoding.DecodedLen(whole))
	n, _ := base64.RawURLEncoding.Decode(raw, []byte(text[:whole]))
	return bytes.Contains(raw[:n], []byte(`,"t":"`)) && bytes.Contains(raw[:n], []byte(`,"c":"`))
}

// begins is how what is sealed begins: {"s":" in base64.
const begins = "eyJzIjoi"
