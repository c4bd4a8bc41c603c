package mutants_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/chat"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/conformance/mutants"
	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/chatpeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/reporters"
)

var update = flag.Bool("update", false, "rewrite docs/kill-matrix.md")

const matrixFile = "../../docs/kill-matrix.md"

// side is one protocol's half of the matrix.
type side struct {
	protocol string
	suite    conformance.Suite
	mutants  []mutants.Mutant
	good     []mutants.Mutant // the built-in peer itself, in each way it is checked
}

func sides() []side {
	return []side{
		{conformance.MCP, mcp.Suite(), mutants.MCP(), goodServers()},
		{conformance.A2A, a2a.Suite(), mutants.A2A(), goodAgents()},
		{conformance.Chat, chat.Suite(), mutants.Chat(), goodEndpoints()},
	}
}

func goodServers() []mutants.Mutant {
	return []mutants.Mutant{
		{ID: "good over HTTP, 2026-07-28", Revision: "2026-07-28"},
		{ID: "good over HTTP, 2025-11-25", Revision: "2025-11-25"},
		{ID: "good over HTTP, 2025-06-18", Revision: "2025-06-18"},
		{ID: "good over HTTP, 2025-03-26", Revision: "2025-03-26"},
		{ID: "good over HTTP+SSE, 2024-11-05", Revision: "2024-11-05", Older: true},
		{ID: "good over stdio, 2026-07-28", Revision: "2026-07-28", Stdio: true},
		{ID: "good over stdio, 2025-11-25", Revision: "2025-11-25", Stdio: true},
		{ID: "good over stdio, 2025-03-26", Revision: "2025-03-26", Stdio: true},
		{ID: "good over stdio, 2024-11-05", Revision: "2024-11-05", Stdio: true},
		{ID: "good over HTTP, 2026-07-28 alone", Revision: "2026-07-28", Server: mcppeer.Options{ModernOnly: true}},
		{ID: "good over stdio, 2026-07-28 alone", Revision: "2026-07-28", Stdio: true, Server: mcppeer.Options{ModernOnly: true}},
		{ID: "good over HTTP, tools alone", Revision: "2025-11-25", Server: mcppeer.Options{ToolsOnly: true}},
		{ID: "good over stdio, tools alone", Revision: "2026-07-28", Stdio: true, Server: mcppeer.Options{ToolsOnly: true}},
		{ID: "good over HTTP, slow", Revision: "2025-11-25", Server: mcppeer.Options{Step: slow}},
		{ID: "good over stdio, slow", Revision: "2025-11-25", Stdio: true, Server: mcppeer.Options{Step: slow}},
	}
}

// slow is a step at which a call takes half a second, in which it can be cancelled.
const slow = 100 * time.Millisecond

func goodAgents() []mutants.Mutant {
	return []mutants.Mutant{
		{ID: "good, 1.0", Revision: "1.0"},
		{ID: "good, 0.3", Revision: "0.3"},
		{ID: "good over HTTP+JSON, 1.0", Revision: "1.0", Binding: "HTTP+JSON"},
		{ID: "good without push, 1.0", Revision: "1.0", Agent: a2apeer.Options{NoPush: true}},
		{ID: "good without push, 0.3", Revision: "0.3", Agent: a2apeer.Options{NoPush: true}},
		{ID: "good without streams, 1.0", Revision: "1.0", Agent: a2apeer.Options{NoStreaming: true}},
		{ID: "good with a missing extended card, 1.0", Revision: "1.0", Agent: a2apeer.Options{ExtendedCard: true}},
		{ID: "good over HTTP+JSON, nothing declared, 1.0", Revision: "1.0", Binding: "HTTP+JSON", Agent: a2apeer.Options{NoPush: true, NoStreaming: true}},
		{ID: "good over HTTP+JSON with a missing extended card, 1.0", Revision: "1.0", Binding: "HTTP+JSON", Agent: a2apeer.Options{ExtendedCard: true}},
		{ID: "good, nothing declared, 0.3", Revision: "0.3", Agent: a2apeer.Options{NoPush: true, NoStreaming: true}},
		{ID: "good, slow, 1.0", Revision: "1.0", Agent: a2apeer.Options{Step: slow}},
		{ID: "good over HTTP+JSON, slow, 1.0", Revision: "1.0", Binding: "HTTP+JSON", Agent: a2apeer.Options{Step: slow}},
	}
}

func goodEndpoints() []mutants.Mutant {
	return []mutants.Mutant{
		{ID: "good bridge"},
		{ID: "good bridge, loose", Chat: chatpeer.Options{Loose: true}},
		{ID: "good bridge with an agent", Chat: chatpeer.Options{Agent: true}},
		{ID: "good bridge with an agent, loose", Chat: chatpeer.Options{Agent: true, Loose: true}},
		{ID: "good bridge over HTTP/1.0", Wrap: oldHTTP},
		{ID: "good model server", Chat: chatpeer.Options{Plain: true}},
		{ID: "good model server, loose, no usage", Chat: chatpeer.Options{Plain: true, Loose: true, NoUsage: true}},
		{ID: "good model server over HTTP/1.0", Chat: chatpeer.Options{Plain: true, Loose: true}, Wrap: oldHTTP},
	}
}

// oldHTTP answers as a server of HTTP/1.0: what ends an answer is the end of the
// connection.
func oldHTTP(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := httptest.NewRecorder()
		next.ServeHTTP(a, r)
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err) // a server of net/http can
		}
		defer conn.Close()
		fmt.Fprintf(buffered, "HTTP/1.0 %d Fine\r\n", a.Code)
		_ = a.Header().Write(buffered)
		fmt.Fprintf(buffered, "\r\n%s", a.Body.Bytes())
		_ = buffered.Flush() // a client that is gone needs no answer
	})
}

func TestGoodPeersPass(t *testing.T) {
	for _, s := range sides() {
		t.Run(s.protocol, func(t *testing.T) {
			passed := s.passedBy(t)
			for _, m := range s.suite.Metas() {
				if !passed[m.ID] {
					t.Errorf("no good peer passes %s", m.ID)
				}
			}
		})
	}
}

// passedBy tells which cases the good peers pass, none of which may find one broken.
func (s side) passedBy(t *testing.T) map[string]bool {
	t.Helper()
	var mu sync.Mutex
	passed := map[string]bool{}
	t.Run("peers", func(t *testing.T) {
		for _, m := range s.good {
			t.Run(m.ID, func(t *testing.T) {
				t.Parallel()
				all := s.check(t, m)
				if ids, details := broken(all); len(ids) > 0 {
					t.Errorf("the good peer breaks %q:\n%s", ids, details)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, r := range all {
					passed[r.id] = passed[r.id] || r.status == reporters.Passed
				}
			})
		}
	})
	return passed
}

func TestEveryMutantIsFoundByItsCasesAlone(t *testing.T) {
	for _, s := range sides() {
		for _, m := range s.mutants {
			t.Run(s.protocol+"/"+m.ID, func(t *testing.T) {
				t.Parallel()
				ids, details := broken(s.check(t, m))
				want := slices.Sorted(slices.Values(m.Kills))
				if d := cmp.Diff(want, ids); d != "" {
					t.Errorf("%s: found by other cases than declared (- declared, + found):\n%s\n%s", m.Doc, d, details)
				}
			})
		}
	}
}

func TestEveryCaseIsProved(t *testing.T) {
	for _, s := range sides() {
		killers := map[string][]string{}
		for _, m := range s.mutants {
			for _, id := range m.Kills {
				killers[id] = append(killers[id], m.ID)
			}
		}
		for _, meta := range s.suite.Metas() {
			if len(killers[meta.ID]) == 0 {
				t.Errorf("no mutant fails %s: prove it or remove it", meta.ID)
			}
			delete(killers, meta.ID)
		}
		for id := range killers {
			t.Errorf("a mutant claims to fail %s, which is no case", id)
		}
	}
}

func TestKillMatrixIsCurrent(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The kill matrix\n\nEvery case is proved by a peer that breaks it. Each mutant below is a built-in peer that does one\n" +
		"thing wrong; the tests put it through the whole suite and ask that exactly the cases named here find it.\n" +
		"This page is written by `go test ./conformance/mutants -update`.\n")
	for _, s := range sides() {
		fmt.Fprintf(&b, "\n## %s: %d cases and monitors, %d mutants\n\n| case | found in these mutants |\n|---|---|\n",
			strings.ToUpper(s.protocol), len(s.suite.Metas()), len(s.mutants))
		for _, meta := range s.suite.Metas() {
			var by []string
			for _, m := range s.mutants {
				if slices.Contains(m.Kills, meta.ID) {
					by = append(by, m.ID)
				}
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", meta.ID, strings.Join(by, ", "))
		}
		b.WriteString("\n| mutant | what it does wrong |\n|---|---|\n")
		for _, m := range s.mutants {
			fmt.Fprintf(&b, "| %s | %s |\n", m.ID, m.Doc)
		}
	}
	b.WriteString("\n## The bridge itself\n\nThe bridge of this repository, with one thing wrong by an option or by what stands before it.\n\n| mutant | what is wrong | found by |\n|---|---|---|\n")
	for _, m := range bridgeMutants() {
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", m.id, m.doc, strings.Join(m.kills, "`, `"))
	}
	if *update {
		if err := os.WriteFile(matrixFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(matrixFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), b.String()); d != "" {
		t.Errorf("docs/kill-matrix.md is not what the mutants say; run the test with -update:\n%s", d)
	}
}
