// Package conformance judges MCP servers and A2A agents by the rules of their
// specifications.
//
// A Case is an active check of one rule, a Monitor a passive one that reads what
// travelled. Both are values in lists; the packages mcp and a2a below hold them.
// A Target is a way to reach a peer. A harness plans which cases apply, runs them
// and fills in a reporters.Peer; the packages harness and mutants stand below.
//
// It imports reporters, fixtures and internal packages, never the bridge, and
// never Ginkgo.
package conformance
