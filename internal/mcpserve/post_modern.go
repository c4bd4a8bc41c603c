package mcpserve

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// servePostModern serves one message of 2026-07-28.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages
func (f *front) servePostModern(w http.ResponseWriter, r *http.Request, m wire.Message) {
	flt := checkEnvelope(m)
	switch {
	case flt != nil:
	case m.Kind == wire.KindNotification:
		w.WriteHeader(http.StatusAccepted) // there is none that a server has to act on over HTTP
		return
	case m.Kind != wire.KindRequest:
		flt = faultf(codeInvalidRequest, "invalid request: one request or notification is sent at a time, and no responses")
	default:
		flt = first(f.judge.initialize(m), f.checkHeaders(r.Header, m), f.judge.modern(m), checkName(r.Header, m))
	}
	if flt != nil {
		id := m.ID
		if m.IsResponse() {
			id = wire.ID{} // that of a response is no id to answer
		}
		refuse(w, flt.status(modernEra), flt, id, revModern)
		return
	}
	alone := &calls{} // nothing is remembered from one request to the next
	t, _ := alone.begin(m)
	out := newAnswerWriter(w, mender{revModern, alone, false, f.judge.cursors}, m.ID)
	defer out.close()
	if m.Method == "tools/call" {
		out.headWithin(modernHeadAfter)
	}
	f.modern.ServeHTTP(out, f.modernRequest(r, f.judge.inbound(m, t)))
}

// modernHeadAfter leaves the SDK the time to refuse a call with a status.
const modernHeadAfter = 8 * headAfter

// modernRequest is the request as the SDK gets it.
func (f *front) modernRequest(r *http.Request, body []byte) *http.Request {
	out := rewritten(r, revModern, body)
	out.Header.Del(headerSession)
	if name, ok := wire.Text(nameOf(wire.Parse(body))); ok {
		out.Header.Set(headerName, name)
	}
	f.markEmptyParams(out.Header)
	return out
}

// checkHeaders compares the headers that mirror the body with it.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
func (f *front) checkHeaders(h http.Header, m wire.Message) *fault {
	for _, name := range append([]string{headerVersion, headerMethod, headerName}, f.params...) {
		if v := h.Get(name); !plainASCII(v) {
			return faultf(codeHeaderMismatch, "header mismatch: %s holds characters that a header may not have", name)
		}
	}
	version, named := wire.Text(wire.Path(m.Params, "_meta", metaVersion))
	switch {
	case h.Get(headerVersion) == "":
		return faultf(codeHeaderMismatch, "header mismatch: the MCP-Protocol-Version header is missing")
	case h.Get(headerMethod) == "":
		return faultf(codeHeaderMismatch, "header mismatch: the Mcp-Method header is missing")
	case named && version != h.Get(headerVersion):
		return faultf(codeHeaderMismatch, "header mismatch: MCP-Protocol-Version is %q, and _meta says %q", h.Get(headerVersion), version)
	case m.Method != h.Get(headerMethod):
		return faultf(codeHeaderMismatch, "header mismatch: Mcp-Method is %q, and the method is %q", h.Get(headerMethod), m.Method)
	}
	return nil
}

// checkName compares Mcp-Name, once it is decoded, with the name or URI.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
func checkName(h http.Header, m wire.Message) *fault {
	want, ok := wire.Text(nameOf(m))
	if !ok {
		return nil
	}
	got, err := decodeHeader(h.Get(headerName))
	switch {
	case h.Get(headerName) == "":
		return faultf(codeHeaderMismatch, "header mismatch: the Mcp-Name header is missing")
	case err != nil:
		return faultf(codeHeaderMismatch, "header mismatch: Mcp-Name is not Base64: %v", err)
	case got != want:
		return faultf(codeHeaderMismatch, "header mismatch: Mcp-Name is %q, and the request names %q", got, want)
	}
	return nil
}

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

func decodeHeader(value string) (string, error) {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	inner, closed := strings.CutSuffix(inner, "?=")
	if !ok || !closed {
		return value, nil
	}
	plain, err := base64.StdEncoding.DecodeString(inner)
	return string(plain), err //nolint:wrapcheck // checkName says what it was about
}

// markEmptyParams keeps an empty parameter header apart from one that is not there,
// which the SDK cannot tell.
func (f *front) markEmptyParams(h http.Header) {
	for _, name := range f.params {
		if values := h.Values(name); len(values) == 1 && values[0] == "" {
			h.Set(name, "=?base64??=")
		}
	}
}

// plainASCII tells whether a header value has only what RFC 9110 lets it have.
func plainASCII(value string) bool {
	return strings.IndexFunc(value, func(c rune) bool { return c > 0x7e || (c < 0x20 && c != '\t') }) < 0
}
