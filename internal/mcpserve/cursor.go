package mcpserve

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"

	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/wire"
)

// cursors signs the cursors of lists: one which was never given out, or not for that
// list, is known as such.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination#error-handling
// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#statelessness
type cursors struct{ sealer *seal.Sealer }

func newCursors(secret []byte) cursors {
	key := sha256.Sum256(append([]byte("peerwright.cursors/1 "), secret...))
	return cursors{seal.New(key[:])}
}

// orRandom returns the secret, or one of this process where there is none.
func orRandom(secret []byte) []byte {
	if len(secret) > 0 {
		return secret
	}
	return []byte(rand.Text())
}

// prefix names purpose, version and list of a cursor.
func prefix(method string) string { return "pwl1." + method + "." }

// seal makes the cursor that goes to the client from the one of the SDK.
func (c cursors) seal(method string, cursor json.RawMessage) json.RawMessage {
	inner, _ := wire.Text(cursor)
	return wire.Quote(c.sealer.Seal(prefix(method), []byte(inner)))
}

// open gives the SDK's cursor back, and false when the server never gave this one out
// for this list.
func (c cursors) open(method string, cursor json.RawMessage) (json.RawMessage, bool) {
	outer, ok := wire.Text(cursor)
	if !ok {
		return nil, false
	}
	inner, err := c.sealer.Open(prefix(method), outer)
	return wire.Quote(string(inner)), err == nil
}
