package toolserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guard lets through requests that present a key, as `Authorization: Bearer KEY` or
// `X-API-Key: KEY`, in the name of its caller; any request where there are no keys. A
// session belongs to the caller that opened it.
func (s *Server) guard(next http.Handler) http.Handler {
	if len(s.opts.Keys) == 0 {
		return next
	}
	checked := auth.RequireBearerToken(s.verify, nil)(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("X-Api-Key"); key != "" {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+key)
			r.Header.Del("X-Api-Key")
		}
		checked.ServeHTTP(w, r)
	})
}

// verify finds out whose the key is. Each key is compared, in a time that does not depend
// on it.
func (s *Server) verify(_ context.Context, key string, _ *http.Request) (*auth.TokenInfo, error) {
	given, name := sha256.Sum256([]byte(key)), ""
	for caller, key := range s.opts.Keys {
		want := sha256.Sum256([]byte(key))
		if key != "" && subtle.ConstantTimeCompare(given[:], want[:]) == 1 {
			name = caller
		}
	}
	if name == "" {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: name, Expiration: s.opts.Now().Add(time.Hour)}, nil
}

// owner is whose key a request over HTTP presented, as guard found out; "" without one.
func owner(r *http.Request) string {
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		return info.UserID
	}
	return ""
}

// caller is who makes the call: the name of the key, or else what the client calls
// itself, which is its own word and marked as such.
func (s *Server) caller(ctx context.Context, req *mcp.CallToolRequest) string {
	info := auth.TokenInfoFromContext(ctx)
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		info = extra.TokenInfo
	}
	switch client := req.ClientInfo(); {
	case info != nil:
		return info.UserID
	case client != nil && client.Name != "":
		return "client:" + client.Name
	}
	return ""
}
