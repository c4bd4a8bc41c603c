package mutants

import (
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// a2aDiscovery are agents whose card is not what it should be.
func a2aDiscovery() []Mutant {
	return []Mutant{
		{
			ID: "card-at-the-old-place", Doc: "the card is served at /.well-known/agent.json alone",
			Kills: []string{"a2a.discovery.well-known"}, Revision: "1.0", Wrap: movedCard,
		},
		{
			ID: "card-without-description", Doc: "the card has no description",
			Kills: []string{"a2a.discovery.card-members"}, Revision: "1.0",
			Wrap: cards(func(card map[string]any) { delete(card, "description") }),
		},
		{
			ID: "card-with-null-skills", Doc: "the card of an agent without skills says null",
			Kills: []string{"a2a.discovery.card-members"}, Revision: "1.0",
			Wrap: cards(func(card map[string]any) { card["skills"] = nil }),
		},
		{
			ID: "old-skills-without-tags", Doc: "the skills of a card of 0.3 have no tags",
			Kills: []string{"a2a.discovery.card-members"}, Revision: "0.3",
			Wrap: cards(func(card map[string]any) {
				for _, skill := range elements(card, "skills") {
					delete(skill, "tags")
				}
			}),
		},
		{
			ID: "card-without-etag", Doc: "the card has no ETag",
			Kills: []string{"a2a.discovery.card-caching"}, Revision: "1.0", Wrap: cardHead("ETag", ""),
		},
		{
			ID: "card-for-no-time", Doc: "the card says no-cache and no max-age",
			Kills: []string{"a2a.discovery.card-caching"}, Revision: "1.0", Wrap: cardHead("Cache-Control", "no-cache"),
		},
		{
			ID: "interface-that-is-not-there", Doc: "the card declares HTTP+JSON at a path that nothing is at",
			Kills: []string{"a2a.discovery.interfaces"}, Revision: "1.0",
			Wrap: cards(func(card map[string]any) { declare(card, a2ahttp.HTTPJSON, "/not-there") }),
		},
		{
			ID: "interface-of-another-binding", Doc: "the card calls its HTTP+JSON interface one of JSON-RPC",
			Kills: []string{"a2a.discovery.interfaces"}, Revision: "1.0",
			Wrap: cards(func(card map[string]any) { declare(card, a2ahttp.JSONRPC, "/rest") }),
		},
		{
			ID: "extended-card-declared-only", Doc: "the extended card is declared, and refused as unsupported",
			Kills: []string{"a2a.discovery.extended-card"}, Revision: "1.0", Agent: a2apeer.Options{ExtendedCard: true},
			Swap: agentRefuses("GetExtendedAgentCard", a2ahttp.CodeExtendedAgentCardNotConfigured, a2ahttp.CodeUnsupportedOperation),
		},
		{
			ID: "extended-card-for-anyone", Doc: "the extended card is given to whoever asks",
			Kills: []string{"a2a.security.extended-card"}, Revision: "1.0", Agent: a2apeer.Options{ExtendedCard: true},
			Wrap: agentInstead("GetExtendedAgentCard", func(id wire.ID, _ map[string]any, _ func(string, any) wire.Message) []byte {
				return wire.Result(id, encode(map[string]any{"name": "everything", "skills": []any{}}))
			}),
		},
	}
}

// movedCard serves the card where 0.2 had it.
func movedCard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case a2ahttp.WellKnown:
			http.NotFound(w, r)
			return
		case a2ahttp.OldWellKnown:
			r.URL.Path = a2ahttp.WellKnown
		}
		next.ServeHTTP(w, r)
	})
}

// cardHead sets a header of the card; "" takes it away.
func cardHead(name, value string) func(http.Handler) http.Handler {
	return headed(func(r *http.Request, _ wire.Message, status int, h http.Header) int {
		switch {
		case r.URL.Path != a2ahttp.WellKnown:
		case value == "":
			h.Del(name)
		default:
			h.Set(name, value)
		}
		return status
	})
}

// declare adds an interface of the same server to a card of 1.0.
func declare(card map[string]any, binding, path string) {
	base := strings.TrimSuffix(elements(card, "supportedInterfaces")[0]["url"].(string), "/rpc")
	card["supportedInterfaces"] = append(card["supportedInterfaces"].([]any),
		map[string]any{"url": base + path, "protocolBinding": binding, "protocolVersion": "1.0"})
}
