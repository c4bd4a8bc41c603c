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
	o := fieldsOf(raw)
	name, mediaType := o.text("filename"), o.text("mediaType", "media_type")
	switch {
	case isString(o.raw("text")):
		return piece{text: unquote(o.raw("text"))}, true
	case o.get("file") != nil:
		return piece{file: readFile(fieldsOf(o.get("file")))}, true
	case isString(o.raw("url")):
		return piece{file: &File{Name: name, MediaType: mediaType, URI: o.text("url")}}, true
	case isString(o.raw("raw")):
		return piece{file: &File{Name: name, MediaType: mediaType, Base64: o.text("raw")}}, true
	case o.raw("data") != nil:
		return piece{data: readData(o.raw("data"), proto && o.get("kind") == nil)}, true
	}
	return piece{data: raw}, false
}

// readFile reads a file of 0.2 and 0.3, in the names of its JSON schema or of its
// protobuf definition.
func readFile(o fields) *File {
	return &File{
		Name: o.text("name"), MediaType: o.text("mimeType", "mime_type", "mediaType"),
		URI:    o.text("uri", "fileWithUri", "file_with_uri"),
		Base64: o.text("bytes", "fileWithBytes", "file_with_bytes"),
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
