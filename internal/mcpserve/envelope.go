package mcpserve

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/peerwright/peerwright/internal/rawjson"
	"github.com/peerwright/peerwright/internal/wire"
)

// The members of _meta that 2026-07-28 puts on requests and notifications.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
)

// deepest is how deeply JSON may nest; the SDK gives up at 1000.
const deepest = 500

// checkEnvelope judges what every message must be, whatever its method. A batch
// is judged message by message.
//
// https://www.jsonrpc.org/specification#request_object
// https://modelcontextprotocol.io/specification/2025-11-25/basic/index#messages
func checkEnvelope(m wire.Message) *fault {
	switch {
	case !utf8.Valid(m.Raw) || !json.Valid(m.Raw):
		return faultf(codeParse, "parse error: not JSON in UTF-8")
	case depth(m.Raw) > deepest:
		return faultf(codeInvalidRequest, "invalid request: nested more than %d deep", deepest)
	case len(m.Problems) > 0 && !onlyParams(m):
		return faultf(codeInvalidRequest, "invalid request: %s", m.Problems[0])
	case m.Kind == wire.KindRequest && !answerable(m.ID):
		return faultf(codeInvalidRequest, "invalid request: id must be a string or an integer")
	case m.Kind == wire.KindRequest && !isObject(m.Params) && m.Params != nil:
		return faultf(codeInvalidParams, "invalid params: params must be an object")
	}
	return nil
}

// onlyParams tells whether params of the wrong type are all that is wrong with a
// request: then the request stands, and its parameters do not.
func onlyParams(m wire.Message) bool {
	return m.Kind == wire.KindRequest && len(wire.Parse(rawjson.With(m.Raw, "params", []byte("{}"))).Problems) == 0
}

// isModern tells whether a message names its revision itself, as only those of
// 2026-07-28 do.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions
func isModern(m wire.Message) bool { return wire.Path(m.Params, "_meta", metaVersion) != nil }

// isInteger tells whether the id is a whole number, however it is spelt.
func isInteger(id wire.ID) bool {
	if !id.IsNumber() || len(id.String()) > 64 {
		return false
	}
	if !strings.ContainsAny(id.String(), ".eE") {
		return true
	}
	n, ok := new(big.Rat).SetString(shortExponent(id.String()))
	return ok && n.IsInt()
}

// shortExponent keeps 1e999999999 from being written out in full.
func shortExponent(number string) string {
	if i := strings.IndexAny(number, "eE"); i >= 0 && len(number)-i > 4 {
		return "0.5"
	}
	return number
}

func isObject(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

// depth is how deeply the JSON text nests.
func depth(raw []byte) int {
	level, most, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			level++
			most = max(most, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return most
}
