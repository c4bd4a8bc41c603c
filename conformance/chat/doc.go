// Package chat holds the cases for peers that speak OpenAI's chat completions over
// HTTP: model servers, gateways, and Peerwright's own bridge.
//
// Its rules are of two kinds. Those of OpenAI's public reference hold for every such
// peer. Those of the canonical contract, which docs/bridge-api.md tells, hold for a peer
// that says at GET /capabilities that it keeps it, and are not applicable to others.
//
// A model's answer may cost money: one run asks for two, one of them as a stream, and
// for none where a tool can be called instead. Tools are called as elsewhere in the
// suite: those that say of themselves that they only read, and those that the user
// allows by name.
package chat
