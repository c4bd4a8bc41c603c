package a2achat

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// digestSize is the length of a whole signature in bytes.
const digestSize = sha256.Size

// identity tells an agent who asks, signed so that the agent need not believe anybody
// else. The zero value tells nothing.
//
// The id comes from a header of the request: whoever may use the bridge is trusted to
// name it. The plain signature is the same for ever, and can be sent again by whoever
// has seen it; with a timestamp the agent can refuse an old one.
type identity struct {
	CallerConfig

	secret []byte
}

// header returns the headers that name who asks, none where the request does not.
func (i identity) header(request http.Header, now time.Time) http.Header {
	id := ""
	if i.IDHeader != "" {
		id = strings.TrimSpace(request.Get(i.IDHeader))
	}
	if id == "" {
		return nil
	}
	h := http.Header{}
	h.Set(i.IDHeader, id)
	if i.TimestampHeader == "" {
		h.Set(i.AuthHeader, i.sign(id)[:2*or(i.DigestBytes, DefaultDigestBytes)])
		return h
	}
	at := strconv.FormatInt(now.Unix(), 10)
	h.Set(i.TimestampHeader, at)
	h.Set(i.AuthHeader, i.sign(id+"."+at))
	return h
}

// sign returns the HMAC-SHA256 of the text in hex digits.
//
// https://www.rfc-editor.org/rfc/rfc2104
func (i identity) sign(text string) string {
	mac := hmac.New(sha256.New, i.secret)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
