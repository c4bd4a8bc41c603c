package openai

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/errclass"
)

// Identity is who asks: see the members of the same names in Request.
type Identity struct {
	Caller   string
	Upstream string
}

type identityKey struct{}

// IdentityOf returns who asks, for the handlers of Routes.
func IdentityOf(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	return id
}

// gate lets callers in. It keeps digests of the keys, all of one length, so that
// comparing tells nothing of them.
type gate struct {
	keys        [][sha256.Size]byte
	passthrough bool
}

func newGate(keys []string, passthrough bool) gate {
	g := gate{passthrough: passthrough}
	for _, key := range keys {
		g.keys = append(g.keys, sha256.Sum256([]byte(strings.TrimSpace(key))))
	}
	return g
}

// knows tells whether key is one of the keys, in a time that does not depend on which.
func (g gate) knows(key string) bool {
	sum := sha256.Sum256([]byte(key))
	found := 0
	for i := range g.keys {
		found |= subtle.ConstantTimeCompare(g.keys[i][:], sum[:])
	}
	return found == 1
}

// identify returns who asks. The key comes as a bearer token or in X-API-Key; what is
// left of Authorization then is a credential for the upstream.
func (g gate) identify(h http.Header) (Identity, error) {
	authorization, apiKey := h.Get("Authorization"), strings.TrimSpace(h.Get("X-Api-Key"))
	bearer := bearerToken(authorization)
	if len(g.keys) == 0 {
		return g.identity("", authorization), nil
	}
	isKey := bearer != "" && g.knows(bearer)
	switch {
	case apiKey != "" && g.knows(apiKey):
		if isKey {
			authorization = "" // a key of the bridge is nobody else's to see
		}
		return g.identity(apiKey, authorization), nil
	case isKey:
		return g.identity(bearer, ""), nil
	case bearer == "" && apiKey == "":
		return Identity{}, refuse("A key is wanted here. Send it as Authorization: Bearer KEY, or as X-API-Key: KEY.")
	}
	return Identity{}, refuse("The key is not one of this bridge's keys.")
}

// identity returns who asks with that key and credential. Whoever shows another
// credential is somebody else, even with the same key.
func (g gate) identity(key, authorization string) Identity {
	if !g.passthrough {
		authorization = ""
	}
	if key == "" && authorization == "" {
		return Identity{}
	}
	mac := hmac.New(sha256.New, []byte("peerwright bridge caller"))
	for _, part := range []string{key, authorization} {
		sum := sha256.Sum256([]byte(part))
		mac.Write(sum[:])
	}
	return Identity{Caller: hex.EncodeToString(mac.Sum(nil)[:16]), Upstream: authorization}
}

func refuse(message string) error {
	return errclass.New(errclass.Auth, errclass.Bridge, errclass.NotRun, message, errclass.Call{})
}

// bearerToken returns the token after the scheme Bearer (RFC 6750), "" without one.
func bearerToken(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
