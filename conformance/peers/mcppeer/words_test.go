package mcppeer

import (
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// The error codes that the tests expect, as the specification has them.
const (
	codeParse              = -32700
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeResourceNotFound   = -32002 // up to 2025-11-25
	codeHeaderMismatch     = -32020 // from 2026-07-28
	codeUnsupportedVersion = -32022 // from 2026-07-28
)

func legacyRevisions() []string { return []string{rev2025c, rev2025b, rev2025a, rev2024} }

func supported() []string { return append([]string{revModern}, legacyRevisions()...) }

// streamOf is the stream that an event belongs to: what stands before the underscore.
func streamOf(event string) string {
	stream, _, _ := strings.Cut(event, "_")
	return stream
}

const metaSubscription = "io.modelcontextprotocol/subscriptionId"

// nameOf is the member of params that Mcp-Name mirrors; nil for other methods.
func nameOf(m wire.Message) []byte {
	switch m.Method {
	case "tools/call", "prompts/get":
		return wire.Get(m.Params, "name")
	case "resources/read":
		return wire.Get(m.Params, "uri")
	default:
		return nil
	}
}
