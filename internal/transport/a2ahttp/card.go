package a2ahttp

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// Card is the view of an agent card that a client needs, whichever shape it has:
// that of 1.0 (supportedInterfaces), that of 0.2 and 0.3 (url, preferredTransport,
// additionalInterfaces), or the union of both that agents of two versions publish.
// Raw is the card as received.
//
// https://a2a-protocol.org/v1.0.0/specification/#441-agentcard
type Card struct {
	Raw         json.RawMessage
	Name        string
	Description string
	Version     string // of the agent, not of the protocol
	// Interfaces lists where the agent can be reached: those of the 1.0 shape first,
	// each part in the order of the card, which is the agent's order of preference.
	Interfaces        []Interface
	Skills            []Skill
	Streaming         bool
	PushNotifications bool
	ExtendedCard      bool
	Extensions        []Extension
}

// Interface is one place where an agent speaks one binding of one version.
//
// https://a2a-protocol.org/v1.0.0/specification/#446-agentinterface
type Interface struct {
	URL     string
	Binding string // JSONRPC, HTTPJSON, GRPC, or what else the card says
	Version string // Major.Minor
	Tenant  string // "" when the card sets none
}

// String names the interface for a message.
func (i Interface) String() string { return i.Binding + " " + i.Version + " at " + i.URL }

// Skill is what an agent says it can do.
type Skill struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Extension is a protocol extension that an agent declares.
type Extension struct {
	URI      string `json:"uri"`
	Required bool   `json:"required"`
}

// cardView holds the members of both shapes. A member of the wrong type is as good
// as absent: whoever judges the card reads Raw.
type cardView struct {
	name, description, version string
	interfaces, additional     []interfaceView
	url, transport, protocol   string
	capabilities               json.RawMessage
	skills                     []Skill
	extended                   bool
}

type interfaceView struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	ProtocolVersion string `json:"protocolVersion"`
	Tenant          string `json:"tenant"`
	Transport       string `json:"transport"` // how 0.3 spells the binding
}

// ParseCard reads a card. It fails when raw is no JSON object or has nothing of a
// card in it; what a card lacks or spells wrong is left empty.
func ParseCard(raw []byte) (Card, error) {
	members, err := wire.Members(raw)
	if err != nil {
		return Card{}, fmt.Errorf("no agent card: %w", err)
	}
	if !slices.ContainsFunc(members, marksCard) {
		return Card{}, fmt.Errorf("no agent card: it has none of supportedInterfaces, capabilities, skills and protocolVersion")
	}
	v := view(raw)
	card := Card{
		Raw: raw, Name: v.name, Description: v.description, Version: v.version, Skills: v.skills,
		Interfaces: v.all(), ExtendedCard: v.extended,
	}
	read(v.capabilities, "streaming", &card.Streaming)
	read(v.capabilities, "pushNotifications", &card.PushNotifications)
	read(v.capabilities, "extensions", &card.Extensions)
	return card, nil
}

func marksCard(m wire.Member) bool {
	return slices.Contains([]string{"supportedInterfaces", "capabilities", "skills", "protocolVersion"}, m.Name)
}

func view(raw []byte) cardView {
	v := cardView{capabilities: wire.Get(raw, "capabilities")}
	read(raw, "name", &v.name)
	read(raw, "description", &v.description)
	read(raw, "version", &v.version)
	read(raw, "supportedInterfaces", &v.interfaces)
	read(raw, "additionalInterfaces", &v.additional)
	read(raw, "url", &v.url)
	read(raw, "preferredTransport", &v.transport)
	read(raw, "protocolVersion", &v.protocol)
	read(raw, "skills", &v.skills)
	var old, now bool
	read(raw, "supportsAuthenticatedExtendedCard", &old)
	read(v.capabilities, "extendedAgentCard", &now)
	v.extended = old || now
	return v
}

// read decodes the named member of the object into into, and leaves that alone when
// there is none or it has another type.
func read[T any](object json.RawMessage, name string, into *T) {
	var value T
	if raw := wire.Get(object, name); raw != nil && json.Unmarshal(raw, &value) == nil {
		*into = value
	}
}

// all lists the interfaces of both shapes, each once.
func (v cardView) all() []Interface {
	var list []Interface
	add := func(i Interface) {
		if i.URL != "" && !slices.Contains(list, i) {
			list = append(list, i)
		}
	}
	for _, i := range v.interfaces {
		add(Interface{URL: i.URL, Binding: i.ProtocolBinding, Version: MajorMinor(i.ProtocolVersion), Tenant: i.Tenant})
	}
	legacy := v.legacyVersion()
	add(Interface{URL: v.url, Binding: orDefault(v.transport, JSONRPC), Version: legacy})
	for _, i := range v.additional {
		add(Interface{URL: i.URL, Binding: i.Transport, Version: legacy})
	}
	return list
}

// legacyVersion is that of the url member: 0.3 where the card does not say, as cards
// before 0.2.5 could not and some after it leave empty.
func (v cardView) legacyVersion() string { return orDefault(MajorMinor(v.protocol), V03) }

func orDefault(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
