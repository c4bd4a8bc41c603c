package mcpserve

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// sealCursor makes the cursor that goes to the client from the one of the SDK:
// bound to its list, and with a checksum, so that one which was never given out is
// known as such.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination#error-handling
func sealCursor(method string, cursor json.RawMessage) json.RawMessage {
	inner, _ := wire.Text(cursor)
	return wire.Quote(base64.RawURLEncoding.EncodeToString([]byte(seal(method, inner) + inner)))
}

// openCursor gives the SDK's cursor back, and false when the server never gave
// this one out for this list.
func openCursor(method string, cursor json.RawMessage) (json.RawMessage, bool) {
	outer, ok := wire.Text(cursor)
	if !ok {
		return nil, false
	}
	plain, err := base64.RawURLEncoding.Strict().DecodeString(outer)
	if err != nil || len(plain) < sealSize {
		return nil, false
	}
	mark, inner := string(plain[:sealSize]), string(plain[sealSize:])
	return wire.Quote(inner), mark == seal(method, inner) && !strings.ContainsAny(outer, "\r\n")
}

// sealSize is the size in bytes of the checksum.
const sealSize = 6

func seal(method, inner string) string {
	sum := sha256.Sum256([]byte(method + "\x00" + inner))
	return string(sum[:sealSize])
}
