package mcp

import (
	"testing"

	"github.com/peerwright/peerwright/internal/mcp"
)

// The scripted server is good enough to be surveyed by every way, and pages.
func TestScriptedServer(t *testing.T) {
	for _, w := range everyWay(mcp.Rev2024, mcp.Rev2503, mcp.Rev2506, mcp.Rev2511, mcp.Rev2607) {
		for _, sse := range []bool{false, true} {
			survey, err := (&scripted{http: scriptedHTTP{sse: sse}}).target(t, w).Survey(t.Context())
			if err != nil {
				t.Fatalf("%v: %v", w, err)
			}
			if !survey.Features[Pages].Usable || survey.Revision != w.revision {
				t.Errorf("%v: surveyed as %+v", w, survey)
			}
		}
	}
}
