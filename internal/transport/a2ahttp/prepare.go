package a2ahttp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// prepared is a call as it goes out.
type prepared struct {
	transport.HTTPRequest
	id wire.ID // of the JSON-RPC request; zero in the HTTP+JSON binding
}

func (c *Client) prepare(r Request) (prepared, error) {
	switch {
	case c.Interface.Version == V02 && r.Op == GetExtendedCard:
		return c.prepareOldCard(r)
	case c.Interface.Binding == HTTPJSON:
		return c.prepareHTTP(r)
	}
	return c.prepareRPC(r)
}

func (c *Client) prepareRPC(r Request) (prepared, error) {
	method := Method(r.Op, c.Interface.Version)
	if method == "" {
		return prepared{}, fmt.Errorf("JSON-RPC of version %s has no %s", c.Interface.Version, r.Op)
	}
	params, err := c.withTenant(r.Params)
	if err != nil {
		return prepared{}, fmt.Errorf("%s: %w", r.Op, err)
	}
	id := r.ID
	if id.IsZero() {
		id = wire.IntID(c.last.Add(1))
	}
	return prepared{id: id, HTTPRequest: transport.HTTPRequest{
		Method: http.MethodPost, URL: c.Interface.URL, Body: wire.Request(id, method, params),
		Header: c.header(http.MethodPost, c.accepts(r.Op), r.Header),
	}}, nil
}

// withTenant sets the tenant of the interface in every request (A2A 1.0, section
// 8.3.2).
func (c *Client) withTenant(params json.RawMessage) (json.RawMessage, error) {
	if c.Interface.Tenant == "" || c.Interface.Version != V10 {
		return params, nil
	}
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	members, err := wire.Members(params)
	if err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	tenant := wire.Member{Name: "tenant", Value: wire.Quote(c.Interface.Tenant)}
	return object(append([]wire.Member{tenant}, members...)), nil
}

func (c *Client) prepareHTTP(r Request) (prepared, error) {
	where, ok := routeOf(r.Op, c.Interface.Version)
	if !ok {
		return prepared{}, fmt.Errorf("HTTP+JSON of version %s has no %s", c.Interface.Version, r.Op)
	}
	tenant := c.Interface.Tenant
	if c.Interface.Version != V10 {
		tenant = ""
	}
	t, err := where.target(c.Interface.URL, tenant, r.Params)
	if err != nil {
		return prepared{}, err
	}
	return prepared{HTTPRequest: transport.HTTPRequest{
		Method: t.verb, URL: t.url, Body: t.body,
		Header: c.header(t.verb, c.accepts(r.Op), r.Header),
	}}, nil
}

// prepareOldCard is the extended card of 0.2: a GET beside the agent's URL.
func (c *Client) prepareOldCard(r Request) (prepared, error) {
	base, err := url.Parse(c.Interface.URL)
	if err != nil {
		return prepared{}, fmt.Errorf("%s: %w", r.Op, err)
	}
	at := base.JoinPath("..", "agent", "authenticatedExtendedCard")
	return prepared{HTTPRequest: transport.HTTPRequest{
		Method: http.MethodGet, URL: at.String(), Header: c.header(http.MethodGet, jsonType, r.Header),
	}}, nil
}

// accepts says what the answer may be.
func (c *Client) accepts(op Op) string {
	switch {
	case op.Streams():
		return eventStreamType
	case c.Interface.Binding == HTTPJSON && c.Interface.Version == V10:
		return a2aType + ", " + jsonType
	}
	return jsonType
}

// header returns the headers of a call. HTTP+JSON bodies go out as application/json:
// 1.0.0 asks for it, 1.0.1 would rather have application/a2a+json, and agents that
// know the latter know the former. 0.2 and 0.3 have no version header, and its
// absence means 0.3.
func (c *Client) header(verb, accept string, over http.Header) http.Header {
	h := http.Header{"Accept": {accept}}
	if verb == http.MethodPost {
		h.Set("Content-Type", jsonType)
	}
	extensions := oldExtensionsHeader
	if c.Interface.Version == V10 {
		h.Set(versionHeader, V10)
		extensions = extensionsHeader
	}
	if c.extensions != "" {
		h.Set(extensions, c.extensions)
	}
	for name, values := range over {
		h[http.CanonicalHeaderKey(name)] = values
	}
	return h
}
