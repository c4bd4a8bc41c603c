// Package wire holds what travels between a client and a peer: JSON-RPC
// messages kept as the bytes that were received with a decoded view beside
// them, the frames a tap sees, and the readers and writers of the two framings,
// newline-delimited JSON and server-sent events.
//
// It is the ground floor: it imports nothing of this module. It judges nothing;
// it says what is there, down to duplicate members and the spelling of a number.
package wire
