package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sync/atomic"
)

// Redactor replaces secrets. It is made by [New], and may be used by any number of goroutines. Its methods return their argument itself where nothing in it is secret, and never write
// to it.
type Redactor struct {
	key   []byte
	known atomic.Pointer[[]literal] // nil if there are none; what it points to never changes
	note  func(name string)         // told of every replacement; nil if nobody listens
}

// New returns a redactor whose digests are keyed with key. A key is random, at least 16 bytes, used
// for one fixture or one run, and thrown away with it: whoever has it can try out guesses.
func New(key []byte) *Redactor {
	return &Redactor{key: append([]byte(nil), key...)}
}

// Scan returns the names of the secrets that [Redactor.Bytes] would replace, each once, in alphabetical
// order.
func (r *Redactor) Scan(contentType string, b []byte) []string {
	found := map[string]bool{}
	listening := Redactor{key: r.key, note: func(name string) { found[name] = true }}
	listening.known.Store(r.known.Load())
	listening.Bytes(contentType, b)
	return slices.Sorted(maps.Keys(found))
}

// mark returns what stands instead of a secret.
func (r *Redactor) mark(name string, secret []byte) []byte {
	if r.note != nil {
		r.note(name)
	}
	mac := hmac.New(sha256.New, r.key)
	mac.Write(secret)
	digest := hex.EncodeToString(mac.Sum(nil))[:digestLength]
	return []byte(markBegin + name + ":" + digest + "]")
}
