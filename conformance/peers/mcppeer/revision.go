package mcppeer

import "slices"

// The revisions that the server speaks.
// https://modelcontextprotocol.io/specification/versioning
const (
	rev2024   = "2024-11-05"
	rev2025a  = "2025-03-26"
	rev2025b  = "2025-06-18"
	rev2025c  = "2025-11-25"
	revModern = "2026-07-28"
)

// era is how a revision opens: with initialize, or not at all.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#terminology
type era int

const (
	legacyEra era = iota
	modernEra
)

// negotiated is the revision that initialize settles on: the one asked for where
// the server has it, else the newest legacy one.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
func negotiated(requested string) string {
	if slices.Contains([]string{rev2025c, rev2025b, rev2025a, rev2024}, requested) {
		return requested
	}
	return rev2025c
}
