package mutants

import (
	"net/http"

	"github.com/peerwright/peerwright/internal/wire"
)

// Mutant is one peer that breaks a rule.
type Mutant struct {
	ID       string   // words, in the manner of the cases
	Doc      string   // what it does wrong, in one line
	Kills    []string // the ids of the cases that must find it, and nobody else may
	Revision string   // the revision it is checked in
	Stdio    bool     // it is reached over stdio, and not over HTTP
	Binding  string   // of an A2A agent: "" is JSONRPC

	// Exactly one of the two is set: Swap rewrites messages, on whatever transport;
	// Wrap stands in front of the handler of an HTTP peer.
	Swap Swap
	Wrap func(next http.Handler) http.Handler
}

// Swap is given a message of the good peer, and the request that it was sent for,
// and returns what the mutant sends instead: the message itself, others, several or
// none. The request is the zero Message where none can be told.
type Swap func(request, message wire.Message) [][]byte

// keep returns the message as it is.
func keep(m wire.Message) [][]byte { return [][]byte{m.Raw} }
