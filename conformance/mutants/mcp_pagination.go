package mutants

import (
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpPagination are servers that page wrongly.
func mcpPagination() []Mutant {
	return []Mutant{
		{
			ID: "pages-go-round", Doc: "the last page of tools/list leads back to the first",
			Kills: []string{"mcp.pagination.walk-ends"}, Revision: mcp.Rev2511,
			Swap: results("tools/list", func(_ wire.Message, r map[string]any) any {
				if _, more := r["nextCursor"]; !more {
					r["nextCursor"] = "round"
				}
				return r
			}),
		},
	}
}
