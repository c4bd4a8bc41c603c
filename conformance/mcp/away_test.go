package mcp

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// away answers with the status alone once it is shut.
func away(shut *atomic.Bool, status int) func(http.Handler) http.Handler {
	return before(func(w http.ResponseWriter, _ *http.Request, _ wire.Message) bool {
		if shut.Load() {
			http.Error(w, "not now", status)
		}
		return shut.Load()
	})
}

// A server that wants credentials, or is asked too often, breaks no rule by saying so,
// and keeps none.
func TestBeingTurnedAwayIsNoViolation(t *testing.T) {
	for status, want := range map[int]reporters.Status{
		http.StatusUnauthorized: reporters.NotVerified, http.StatusTooManyRequests: reporters.Errored,
		http.StatusServiceUnavailable: reporters.Errored, http.StatusBadGateway: reporters.Errored,
	} {
		for _, revision := range []string{mcp.Rev2511, mcp.Rev2607} {
			var shut atomic.Bool
			p := &scripted{http: scriptedHTTP{wrap: away(&shut, status)}}
			target := p.target(t, way{"http", revision})
			survey, err := target.Survey(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			shut.Store(true)
			for _, c := range Cases() {
				out := attempt(t, target, survey, c)
				switch {
				case out.Status == reporters.Failed, out.Status == reporters.Warned:
					t.Errorf("%d %s: %s is %s: %+v", status, revision, c.ID, out.Status, out.Finding)
				case c.ID == "mcp.errors.unknown-tool" && out.Status != want:
					t.Errorf("%d %s: %s is %s: %+v", status, revision, c.ID, out.Status, out.Finding)
				}
			}
		}
	}
}

// An answer is an answer, whatever its status.
func TestAResponseWithAnOddStatusIsJudged(t *testing.T) {
	answers := before(func(w http.ResponseWriter, _ *http.Request, m wire.Message) bool {
		if m.Method != noSuchMethod {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write(wire.Failure(m.ID, -32000, "something else", nil))
		return true
	})
	judge(t, unknownMethod(), row{
		"503", &scripted{http: scriptedHTTP{wrap: answers}}, way{"http", mcp.Rev2511}, reporters.Failed, "-32000",
	})
}
