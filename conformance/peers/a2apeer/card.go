package a2apeer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// card serves the agent card. A client that asks with A2A-Version: 1.0 gets the
// card of 1.0; any other may be of 0.3, and gets a card that both can read.
type card struct {
	opts Options
	base string
}

// inputModes are the media types that a part may have.
func inputModes() []string {
	return []string{"text/plain", "text/markdown", "application/json", "application/octet-stream", "image/png"}
}

func (c card) build(base string) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               c.opts.Name,
		Description:        "Answers anything, and shows on request what an agent may do.",
		Version:            c.opts.Version,
		Provider:           &a2a.AgentProvider{Org: "Peerwright", URL: "https://github.com/peerwright/peerwright"},
		DefaultInputModes:  inputModes(),
		DefaultOutputModes: []string{"text/plain", "application/json", "application/octet-stream"},
		Capabilities:       c.opts.capabilities(),
		SupportedInterfaces: []*a2a.AgentInterface{
			{URL: base + pathRPC, ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: "1.0"},
			{URL: base + pathREST, ProtocolBinding: a2a.TransportProtocolHTTPJSON, ProtocolVersion: "1.0"},
			{URL: base + pathRPC, ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: a2av0.Version},
		},
		Skills: []a2a.AgentSkill{{
			ID: "echo", Name: "Echo", Description: "Says back what it was told, piece by piece.",
			Tags: []string{"echo", "test"}, Examples: []string{"Tell me something."},
		}},
	}
}

// ServeHTTP answers with the headers that let a client keep the card.
//
// https://a2a-protocol.org/latest/specification/#861-server-requirements
func (c card) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	base := c.base
	if base == "" {
		base = "http://" + r.Host
	}
	body, err := c.encode(r, c.build(base))
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("Vary", headerVersion)
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(body) // a client that left does not read it
}

func (c card) encode(r *http.Request, plain *a2a.AgentCard) ([]byte, error) {
	if requestedVersion(r) == version1 {
		return json.Marshal(plain) //nolint:wrapcheck // answered with a status
	}
	producer, ok := a2av0.NewStaticAgentCardProducer(plain).(a2asrv.AgentCardJSONProducer)
	if !ok {
		return json.Marshal(plain) //nolint:wrapcheck // answered with a status
	}
	return producer.CardJSON(r.Context()) //nolint:wrapcheck // answered with a status
}
