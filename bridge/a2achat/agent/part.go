package agent

import (
	"encoding/json"

	"github.com/peerwright/peerwright/internal/wire"
)

// readPart reads a part of any version, and tells whether it is of a kind that is
// known. One that is not is kept as data, whole.
//
// https://a2a-protocol.org/v0.3.0/specification/#65-part-union-type
// https://a2a-protocol.org/v1.0.0/specification/#416-part
func readPart(raw json.RawMessage, proto bool) (piece, bool) {
	name, mediaType := text(raw, "filename"), text(raw, "mediaType", "media_type")
	switch {
	case isString(wire.Get(raw, "text")):
		return piece{text: unquote(wire.Get(raw, "text"))}, true
	case get(raw, "file") != nil:
		return piece{file: readFile(get(raw, "file"))}, true
	case isString(wire.Get(raw, "url")):
		return piece{file: &File{Name: name, MediaType: mediaType, URI: text(raw, "url")}}, true
	case isString(wire.Get(raw, "raw")):
		return piece{file: &File{Name: name, MediaType: mediaType, Base64: text(raw, "raw")}}, true
	case wire.Get(raw, "data") != nil:
		return piece{data: readData(wire.Get(raw, "data"), proto)}, true
	}
	return piece{data: raw}, false
}

// readFile reads a file of 0.2 and 0.3, in the names of its JSON schema or of its
// protobuf definition.
func readFile(raw []byte) *File {
	return &File{
		Name: text(raw, "name"), MediaType: text(raw, "mimeType", "mime_type", "mediaType"),
		URI:    text(raw, "uri", "fileWithUri", "file_with_uri"),
		Base64: text(raw, "bytes", "fileWithBytes", "file_with_bytes"),
	}
}

// readData returns the data. The protobuf definition of 0.3 has an object around it.
func readData(raw json.RawMessage, proto bool) json.RawMessage {
	if inner := wire.Get(raw, "data"); proto && len(inner) > 0 && inner[0] == '{' {
		return inner
	}
	return raw
}

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }
