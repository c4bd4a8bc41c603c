package mcphttp

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// checkCaller keeps web pages of other sites away, and DNS names that were bent to
// point here.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-%26-endpoint
func (o ServerOptions) checkCaller(r *http.Request) error {
	if host := hostname(r.Host); !isLoopback(host) && !allows(o.Hosts, host) {
		return fault(http.StatusForbidden, codeInvalidRequest, "host %q is not allowed here", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		local := err == nil && u.Host != "" && isLoopback(u.Hostname())
		if !local && !allows(o.Origins, origin) {
			return fault(http.StatusForbidden, codeInvalidRequest, "origin %q is not allowed here", origin)
		}
	}
	return nil
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

func allows(list []string, value string) bool {
	return slices.ContainsFunc(list, func(one string) bool {
		return one == "*" || strings.EqualFold(one, value)
	})
}

// readMessage reads the one message, or the batch, that a POST carries.
func (o ServerOptions) readMessage(w http.ResponseWriter, r *http.Request) (wire.Message, error) {
	if kind := transport.MediaType(r.Header); kind != typeJSON {
		return wire.Message{}, fault(http.StatusUnsupportedMediaType, codeInvalidRequest,
			"content type %q is not taken; send %s", kind, typeJSON)
	}
	if !accepts(r.Header, typeJSON) || !accepts(r.Header, typeSSE) {
		return wire.Message{}, fault(http.StatusNotAcceptable, codeInvalidRequest,
			"header Accept must admit %s and %s", typeJSON, typeSSE)
	}
	return o.readBody(w, r)
}

func (o ServerOptions) readBody(w http.ResponseWriter, r *http.Request) (wire.Message, error) {
	body, err := transport.ReadBody(http.MaxBytesReader(w, r.Body, int64(o.Limit)), o.Limit)
	var tooLong *http.MaxBytesError
	if errors.As(err, &tooLong) {
		return wire.Message{}, fault(http.StatusRequestEntityTooLarge, codeInvalidRequest,
			"the body is over the limit of %d bytes", o.Limit)
	}
	if err != nil {
		return wire.Message{}, fault(http.StatusBadRequest, codeInvalidRequest, "the body broke off: %v", err)
	}
	return checkMessage(wire.Parse(body))
}

// checkMessage refuses what is no JSON-RPC message; an id that can be told is kept.
//
// https://www.jsonrpc.org/specification#error_object
func checkMessage(msg wire.Message) (wire.Message, error) {
	switch {
	case msg.Kind == wire.KindInvalid && !json.Valid(msg.Raw):
		return msg, fault(http.StatusBadRequest, codeParse, "the body is not JSON").to(wire.NullID)
	case msg.Kind == wire.KindBatch && len(msg.Batch) == 0, msg.Kind == wire.KindInvalid:
		return msg, fault(http.StatusBadRequest, codeInvalidRequest, "the body is no JSON-RPC message: %s", problems(msg)).to(msg.ID)
	case msg.Kind == wire.KindRequest && !msg.ID.IsString() && !msg.ID.IsNumber():
		return msg, fault(http.StatusBadRequest, codeInvalidRequest, "the id of a request must be a string or a number").to(wire.NullID)
	default:
		return msg, nil
	}
}

func problems(msg wire.Message) string { return strings.Join(msg.Problems, "; ") }
