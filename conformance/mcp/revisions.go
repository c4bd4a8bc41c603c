package mcp

import (
	"slices"

	"github.com/peerwright/peerwright/internal/mcp"
)

// all returns every revision.
func all() []string { return mcp.Revisions() }

// legacy returns the revisions that have a handshake.
func legacy() []string { return slices.DeleteFunc(mcp.Revisions(), mcp.Modern) }

// modern returns those that have none.
func modern() []string { return since(mcp.Rev2607) }

// since returns the revisions from rev on.
func since(rev string) []string {
	return slices.DeleteFunc(mcp.Revisions(), func(r string) bool { return r < rev })
}

// only returns the revisions named.
func only(revs ...string) []string { return revs }
