package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/peerwright/peerwright/internal/wire"
)

// contentFault says what is wrong with a content block of a tool result or a prompt
// message; "" when nothing is. A type that this suite does not know is left alone.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
func contentFault(block json.RawMessage) string {
	kind, ok := wire.Text(wire.Get(block, "type"))
	if !ok {
		return "a content block without a type: " + clip(string(block), 120)
	}
	switch kind {
	case "text":
		return missing(block, kind, "text")
	case "image", "audio":
		if fault := missing(block, kind, "data", "mimeType"); fault != "" {
			return fault
		}
		data, _ := wire.Text(wire.Get(block, "data"))
		if _, err := base64.StdEncoding.DecodeString(data); err != nil {
			return fmt.Sprintf("the data of %s content is not base64: %v", kind, err)
		}
	case "resource_link":
		return missing(block, kind, "uri", "name")
	case "resource":
		return resourceFault(wire.Get(block, "resource"))
	}
	return ""
}

// missing names the first member that is no string.
func missing(object json.RawMessage, kind string, members ...string) string {
	for _, name := range members {
		if _, ok := wire.Text(wire.Get(object, name)); !ok {
			return fmt.Sprintf("%s content whose %s is not a string: %s", kind, name, clip(string(object), 120))
		}
	}
	return ""
}

// resourceFault says what is wrong with the contents of a resource: it has a URI, and
// either text or base64.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#resource-contents
func resourceFault(contents json.RawMessage) string {
	if fault := missing(contents, "resource", "uri"); fault != "" {
		return fault
	}
	text, blob := wire.Get(contents, "text"), wire.Get(contents, "blob")
	switch {
	case (text == nil) == (blob == nil):
		return "resource contents with not exactly one of text and blob: " + clip(string(contents), 120)
	case text != nil:
		return missing(contents, "resource", "text")
	}
	data, ok := wire.Text(blob)
	if !ok {
		return "resource contents whose blob is not a string"
	}
	if _, err := base64.StdEncoding.DecodeString(data); err != nil {
		return fmt.Sprintf("the blob of a resource is not base64: %v", err)
	}
	return ""
}

// items returns the elements of the array that stands under name, and false when
// none does.
func items(object json.RawMessage, name string) ([]json.RawMessage, bool) {
	raw := wire.Get(object, name)
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	return list, true
}
