package a2a

import (
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// What an agent may have. The words end the sentence "the peer has no …".
const (
	// The binding that was chosen.
	JSONRPC  conformance.Feature = "JSON-RPC binding"
	HTTPJSON conformance.Feature = "HTTP+JSON binding"

	// What the card declares.
	Skills       conformance.Feature = "skills"
	Streaming    conformance.Feature = "streaming"
	Push         conformance.Feature = "push notifications"
	ExtendedCard conformance.Feature = "extended agent card"

	// What the card leaves out, and so has to be refused.
	NoStreaming    conformance.Feature = "undeclared streaming"
	NoPush         conformance.Feature = "undeclared push notifications"
	NoExtendedCard conformance.Feature = "undeclared extended agent card"

	// ListTasks is there in 1.0, and usable when the agent lists for this client.
	ListTasks conformance.Feature = "task listing"
)

func features(card a2ahttp.Card, i a2ahttp.Interface) map[conformance.Feature]conformance.Offer {
	usable := conformance.Offer{Usable: true}
	binding := JSONRPC
	if i.Binding == a2ahttp.HTTPJSON {
		binding = HTTPJSON
	}
	has := map[conformance.Feature]conformance.Offer{binding: usable}
	if len(card.Skills) > 0 {
		has[Skills] = usable
	}
	for _, f := range []struct {
		declared bool
		on, off  conformance.Feature
	}{
		{card.Streaming, Streaming, NoStreaming},
		{card.PushNotifications, Push, NoPush},
		{card.ExtendedCard, ExtendedCard, NoExtendedCard},
	} {
		if f.declared {
			has[f.on] = usable
		} else {
			has[f.off] = usable
		}
	}
	return has
}
