package conformance

import (
	"context"

	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// Target is a way to reach one peer, and keeps the books of what was done to it.
type Target interface {
	// Survey reaches the peer and finds out what it is and has. It fails with an
	// error that wraps transport.ErrUnreachable when the peer cannot be reached.
	Survey(ctx context.Context) (Survey, error)
	// Open returns a handle for one case. A case that does not ask to be isolated
	// may share a conversation with others.
	Open(ctx context.Context, isolated bool) (Peer, error)
	// Traces returns what travelled so far, conversation by conversation.
	Traces() []Trace
	// Calls lists the tools that were called, and why.
	Calls() []reporters.Call
	// Close lets go of everything.
	Close(ctx context.Context) error
}

// Peer is a handle on a peer for the time of one case. The protocol packages have
// richer ones.
type Peer interface {
	// Frames returns what travelled since the handle was opened.
	Frames() []wire.Frame
	// Release ends the use of the handle. It is told whether the case failed, after
	// which no other case should share its conversation.
	Release(ctx context.Context, failed bool)
}

// Survey is what a peer is and has.
type Survey struct {
	Protocol, Transport, Target string
	Name, Version, Revision     string
	Features                    map[Feature]Offer
}

// Offer says whether a declared feature can be exercised.
type Offer struct {
	Usable bool
	Why    string // why not, when it cannot
}

// Trace is one whole conversation, from the first frame to the last.
type Trace struct {
	Frames    []wire.Frame
	Revision  string // the negotiated one; "" when the conversation never got so far
	Transport string
	// Hostile marks a conversation in which the suite broke rules on purpose, so that
	// only what holds whatever the client does can be judged.
	Hostile bool
}
