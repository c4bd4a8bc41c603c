package mutants

import (
	"bytes"
	"encoding/json"

	"github.com/peerwright/peerwright/internal/wire"
)

// results makes a Swap that edits the results of one method. The edit is given the
// result with its numbers as json.Number, and returns it, or what stands instead.
func results(method string, edit func(request wire.Message, result map[string]any) any) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method != method || m.Kind != wire.KindResult {
			return keep(m)
		}
		return [][]byte{wire.Result(m.ID, encode(edit(request, decode(m.Result))))}
	}
}

// notes makes a Swap that edits the notifications of one method.
func notes(method string, edit func(request wire.Message, params map[string]any) [][]byte) Swap {
	return func(request, m wire.Message) [][]byte {
		if m.Kind != wire.KindNotification || m.Method != method {
			return keep(m)
		}
		return edit(request, decode(m.Params))
	}
}

// edited changes a message as a whole.
func edited(raw []byte, edit func(message map[string]any)) []byte {
	message := decode(raw)
	edit(message)
	return encode(message)
}

// decode reads a JSON object; what is none gives an empty one.
func decode(raw []byte) map[string]any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	object := map[string]any{}
	_ = dec.Decode(&object) // the good peer sends objects
	return object
}

// encode writes what decode read and an edit changed.
func encode(v any) json.RawMessage {
	raw, err := wire.Marshal(v)
	if err != nil {
		panic("a mutant made what is no JSON: " + err.Error())
	}
	return raw
}
