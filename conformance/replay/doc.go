// Package replay plays fixtures against a live peer and judges whether it answers as
// recorded. A Script is a fixture made ready, each of its exchanges a case; MCP and
// A2A make the target that plays it, on one conversation and in the order recorded,
// with the live peer's own values in place of those that change from run to run.
//
// It imports conformance, fixtures and internal packages, never Ginkgo.
package replay
