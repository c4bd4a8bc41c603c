package wire

import "encoding/json"

// Request builds the bytes of a request with the given id, method and params;
// nil params are left out.
func Request(id ID, method string, params json.RawMessage) []byte {
	return build(id, method, params)
}

// Notification builds the bytes of a notification.
func Notification(method string, params json.RawMessage) []byte {
	return build(ID{}, method, params)
}

func build(id ID, method string, params json.RawMessage) []byte {
	const frame = `{"jsonrpc":"2.0","id":,"method":"","params":}`
	b := make([]byte, 0, len(frame)+len(id.raw)+len(method)+len(params))
	b = append(b, `{"jsonrpc":"2.0"`...)
	if !id.IsZero() {
		b = append(append(b, `,"id":`...), id.raw...)
	}
	b = AppendQuoted(append(b, `,"method":`...), method)
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}

// Result builds the bytes of the response to id that carries result.
func Result(id ID, result json.RawMessage) []byte {
	return answer(id, "result", result)
}

// Failure builds the bytes of the error response to id; data may be nil.
func Failure(id ID, code int64, message string, data json.RawMessage) []byte {
	fault, _ := Marshal(struct { // data comes from a parsed document, so it marshals
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{code, message, data})
	return answer(id, "error", fault)
}

func answer(id ID, member string, value json.RawMessage) []byte {
	if id.IsZero() {
		id = NullID
	}
	const frame = `{"jsonrpc":"2.0","id":,"":}`
	b := make([]byte, 0, len(frame)+len(id.raw)+len(member)+len(value))
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id.raw...)
	b = append(append(append(b, `,"`...), member...), `":`...)
	return append(append(b, value...), '}')
}
