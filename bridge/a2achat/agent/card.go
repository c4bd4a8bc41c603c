package agent

import (
	"context"
	"errors"
	"time"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// Card is the card of the agent, and the interface of it that is used.
type Card struct {
	a2ahttp.Card
	Interface a2ahttp.Interface
	// InputModes are the media types that the agent takes, those of its skills among
	// them; none when it does not say.
	InputModes []string
	// Assumed says why there is no card, and a JSON-RPC 0.3 agent that does not stream
	// is assumed at Interface.URL; "" when there is one.
	Assumed string
	Fetched time.Time // when it was last found to be good
}

// Takes tells whether the agent says that it takes the media type, such as image/png.
// Text is always taken.
func (c Card) Takes(mediaType string) bool { return mediaType == "" }

// Card returns the agent's card. It is looked for at the first call, at all the places
// and in all the shapes of the versions, and is kept as long as its caching headers say
// (RFC 9111; 1.0 section 8.6). After that the old one is returned while a new one is
// fetched in the background, and stays when that fails. Callers that come together
// share one fetch. The error is an errclass.Error.
func (a *Agent) Card(ctx context.Context) (Card, error) {
	return Card{}, errors.ErrUnsupported
}

// Known returns the card without asking for it, and false when there is none yet.
func (a *Agent) Known() (Card, bool) { return Card{}, false }

// CancelOnDisconnect tells whether the protocol version has a client that goes away
// cancel the task it is waiting for.
func CancelOnDisconnect(version string) bool { return false }
