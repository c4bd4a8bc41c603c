package mutants

import (
	"net/http"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/chatpeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/wire"
)

// Mutant is one peer that breaks a rule.
type Mutant struct {
	ID       string   // words, in the manner of the cases
	Doc      string   // what it does wrong, in one line
	Kills    []string // the ids of the cases that must find it, and nobody else may
	Revision string   // the revision it is checked in
	Stdio    bool     // it is reached over stdio, and not over HTTP
	Older    bool     // it is reached over HTTP+SSE, and not over Streamable HTTP
	Binding  string   // of an A2A agent: "" is JSONRPC

	// The good peer behind it.
	Server mcppeer.Options
	Agent  a2apeer.Options
	Chat   chatpeer.Options

	// What it does wrong, in whichever way says it most plainly. Hear and Swap go
	// together where one has to know what the other saw.
	Hear Hear // on whatever transport
	Swap Swap // on whatever transport
	// Wrap stands in front of the handler of an HTTP peer, Pipe in front of a peer on
	// stdio, one call for each connection.
	Wrap func(next http.Handler) http.Handler
	Pipe func(next Serve) Serve
}

// Hear is given a message of the client. It returns what the good peer is told
// instead, nil for nothing, and what the mutant answers by itself, nil for nothing.
type Hear func(m wire.Message) (told, answer []byte)

// Swap is given a message of the good peer, and the request that it was sent for,
// and returns what the mutant sends instead: the message itself, others, several or
// none. The request is the zero Message where none can be told.
type Swap func(request, message wire.Message) [][]byte

// keep returns the message as it is.
func keep(m wire.Message) [][]byte { return [][]byte{m.Raw} }

// hears gives what is heard to h; nil hears everything as it is.
func (h Hear) hears(m wire.Message) (told, answer []byte) {
	if h == nil {
		return m.Raw, nil
	}
	return h(m)
}

// swaps gives the message to s; nil swaps nothing.
func (s Swap) swaps(request, message wire.Message) [][]byte {
	if s == nil {
		return keep(message)
	}
	return s(request, message)
}
