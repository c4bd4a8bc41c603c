package recorder

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/transport"
)

// ownOrigin is the origin by which the client has reached the proxy.
func ownOrigin(req *http.Request) string {
	scheme := "http"
	if req.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + req.Host
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// modify changes what the client sees of an answer that names the peer's address,
// and leaves every other as it is.
func (x *exchange) modify(resp *http.Response) error {
	if x.options.KeepURLs || resp.StatusCode != http.StatusOK || resp.Request.Method != http.MethodGet {
		return nil
	}
	switch {
	case isCardPath(resp.Request.URL.Path):
		x.isCard = true
		return x.rewriteCard(resp)
	case transport.MediaType(resp.Header) == "text/event-stream" && resp.Header.Get("Content-Encoding") == "":
		x.isFirst = true
		resp.Body = &endpointBody{ReadCloser: resp.Body, exchange: x}
	}
	return nil
}

// isCardPath tells whether an agent card is served there: in public, or, by REST, to
// those who have signed in.
func isCardPath(path string) bool {
	return strings.Contains(path, "/.well-known/agent") || strings.HasSuffix(path, "/extendedAgentCard") ||
		strings.HasSuffix(path, "/v1/card")
}

// rewriteCard puts the proxy's address into an agent card.
//
//   - https://a2a-protocol.org/v0.3.0/specification/#5-agent-discovery-the-agent-card
//   - https://a2a-protocol.org/v1.0.0/specification/#8-agent-discovery-the-agent-card
func (x *exchange) rewriteCard(resp *http.Response) error {
	sent, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it was read
	if err != nil {
		return err //nolint:wrapcheck // it is named by the transport
	}
	shown, changed := x.ownAddresses(sent)
	if !changed {
		resp.Body = io.NopCloser(bytes.NewReader(sent))
		return nil
	}
	resp.Body = io.NopCloser(bytes.NewReader(shown))
	resp.Header.Del("Content-Encoding")
	resp.Header.Set("Content-Length", strconv.Itoa(len(shown)))
	resp.ContentLength = int64(len(shown))
	return nil
}

// ownAddresses returns the card with the proxy's origin in the URLs of the peer's
// origin, and whether there were any. A card in an encoding is returned plain then.
func (x *exchange) ownAddresses(card []byte) ([]byte, bool) {
	if plain, err := fixtures.Decode("gzip", card); err == nil {
		card = plain
	}
	return x.replaceOrigin(card)
}

// replaceOrigin changes the strings of a JSON text that are URLs of the peer's
// origin, and no other byte.
func (x *exchange) replaceOrigin(card []byte) ([]byte, bool) {
	if !json.Valid(card) {
		return card, false
	}
	from, to := origin(x.upstream), x.own
	changed := false
	for _, end := range []string{"/", `"`, "?"} { // so that port 80 is not taken for 8080
		for _, escape := range []func(string) string{asIs, slashed} {
			old := []byte(`"` + escape(from+end))
			if bytes.Contains(card, old) {
				card = bytes.ReplaceAll(card, old, []byte(`"`+escape(to+end)))
				changed = true
			}
		}
	}
	return card, changed
}

func asIs(s string) string    { return s }
func slashed(s string) string { return strings.ReplaceAll(s, "/", `\/`) }
