// Package live starts peers that others wrote: small servers and agents on the
// TypeScript, Python and Go SDKs, and the SDKs' own example servers. It is for the
// tests of this module; scripts/install-peers.sh installs what they need.
//
// It imports nothing of this module but conformance/peers/gopeers.
package live
