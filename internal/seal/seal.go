// Package seal signs bytes that are given away and come back: what was altered on the way,
// or made by another, does not open. What is sealed can be read by anybody.
//
// It imports nothing of this module.
package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// macSize is how much of the HMAC-SHA256 stands in a seal: 128 bits, as RFC 2104 section 5
// allows.
const macSize = sha256.Size / 2

// ErrBroken is returned for a text that was not sealed with this secret and prefix.
var ErrBroken = errors.New("the seal is broken")

// encoding has one text for each value. Its decoder skips line breaks, which Open refuses.
var encoding = base64.RawURLEncoding.Strict()

// Sealer signs with one secret. It is safe for use by many goroutines, and is made by New.
type Sealer struct{ secret []byte }

// New returns a Sealer. The secret should have 32 random bytes; it is copied.
func New(secret []byte) *Sealer { return &Sealer{secret: append([]byte(nil), secret...)} }

// Seal returns the prefix and after it v with its signature, in letters that are safe in
// URLs. The prefix names purpose and version, as in "pwc1.": each has a key of its own, so
// that a text sealed for one purpose opens for no other.
func (s *Sealer) Seal(prefix string, v []byte) string {
	return prefix + encoding.EncodeToString(append(v[:len(v):len(v)], s.sign(prefix, v)...))
}

// Open returns what was sealed with that prefix, and ErrBroken for any other text.
func (s *Sealer) Open(prefix, text string) ([]byte, error) {
	body, ok := strings.CutPrefix(text, prefix)
	if !ok || strings.ContainsAny(body, "\r\n") {
		return nil, ErrBroken
	}
	raw, err := encoding.DecodeString(body)
	if err != nil || len(raw) < macSize {
		return nil, ErrBroken
	}
	v, mac := raw[:len(raw)-macSize], raw[len(raw)-macSize:]
	if !hmac.Equal(mac, s.sign(prefix, v)) { // takes the same time wherever they differ
		return nil, ErrBroken
	}
	return v, nil
}

func (s *Sealer) sign(prefix string, v []byte) []byte {
	return digest(digest(s.secret, []byte("peerwright seal\x00"+prefix)), v)[:macSize]
}

func digest(key, v []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(v)
	return h.Sum(nil)
}
