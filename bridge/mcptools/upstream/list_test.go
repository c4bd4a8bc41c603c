package upstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// lister is a server whose list is what pages says for a cursor; "" is the first.
func lister(revision string, asked *atomic.Int64, pages func(cursor string) string) http.Handler {
	echo := echoServer(revision)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, again := peek(r)
		if m.Method != "tools/list" {
			echo.ServeHTTP(w, again)
			return
		}
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Write(wire.Result(m.ID, json.RawMessage(pages(string(wire.Get(m.Params, "cursor"))))))
	})
}

func page(cursor string, names ...string) string {
	var tools []string
	for _, n := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, n))
	}
	if cursor != "" {
		cursor = `,"nextCursor":` + cursor
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]` + cursor + `}`
}

func names(l upstream.Listing) string {
	var all []string
	for _, tool := range l.Tools {
		name, _ := wire.Text(wire.Get(tool, "name"))
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func TestTheListIsWalkedToItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		revision string
		pages    func(cursor string) string
		names    string
		problem  string
		asked    int64
	}{
		"two pages": {mcp.Rev2511, func(c string) string {
			if c == `"8"` {
				return page("", "c")
			}
			return page(`"8"`, "a", "b")
		}, "a b c", "", 2},
		"the first page for ever": {mcp.Rev2511, func(string) string { return page(`"8"`, "a", "b") }, "a b", "came twice", 2},
		"null at the end":         {mcp.Rev2511, func(string) string { return page(`null`, "a") }, "a", "null", 1},
		"empty at the end":        {mcp.Rev2511, func(string) string { return page(`""`, "a") }, "a", `""`, 1},
		"empty since 2026-07-28": {mcp.Rev2607, func(c string) string {
			if c == `""` {
				return page("", "b")
			}
			return page(`""`, "a")
		}, "a b", "", 2},
		"a number": {mcp.Rev2511, func(c string) string {
			if c == "2" {
				return page("", "b")
			}
			return page("2", "a")
		}, "a b", "no string", 2},
		"a name twice": {mcp.Rev2511, func(string) string { return page("", "a", "a", "b") }, "a b", "twice", 1},
		"no name":      {mcp.Rev2511, func(string) string { return `{"tools":[{"inputSchema":{}},{"name":"b"},7]}` }, "b", "without a name", 1},
		"a header that may not be": {mcp.Rev2607, func(string) string {
			return `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"object","x-mcp-header":"X"}}}},{"name":"b","inputSchema":{"type":"object"}}]}`
		}, "b", `"a" is left out`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			u := open(t, upstream.Config{Target: at(t, lister(c.revision, &asked, c.pages), "/")})
			got, err := u.Tools(t.Context(), "", 0)
			said := strings.Join(got.Problems, "; ")
			if err != nil || names(got) != c.names || asked.Load() != c.asked || (c.problem == "") != (said == "") || !strings.Contains(said, c.problem) {
				t.Errorf("%s after %d requests; %s, %v", names(got), asked.Load(), said, err)
			}
		})
	}
}

func TestAListWithoutEnd(t *testing.T) {
	var asked atomic.Int64
	n := 0
	u := open(t, upstream.Config{Target: at(t, lister(mcp.Rev2511, &asked, func(string) string {
		n++
		return page(fmt.Sprintf(`"%d"`, n), fmt.Sprint("t", n))
	}), "/")})
	got, err := u.Tools(t.Context(), "", 0)
	if err != nil || len(got.Tools) != 1000 || !strings.Contains(strings.Join(got.Problems, ""), "more than 1000 pages") {
		t.Errorf("%d tools, %v, %v", len(got.Tools), got.Problems, err)
	}
}

// One page may hold as much as all of them.
func TestAPageOfTooManyTools(t *testing.T) {
	var asked atomic.Int64
	all := make([]string, 10_500)
	for i := range all {
		all[i] = fmt.Sprint("t", i)
	}
	u := open(t, upstream.Config{Target: at(t, lister(mcp.Rev2511, &asked, func(string) string { return page("", all...) }), "/")})
	got, err := u.Tools(t.Context(), "", 0)
	if err != nil || len(got.Tools) != 10_000 || !strings.Contains(strings.Join(got.Problems, ""), "more than 10000 tools") {
		t.Errorf("%d tools, %v, %v", len(got.Tools), got.Problems, err)
	}
}

// A list is kept, until it is old, the server says that it changed, or a newer one is
// asked for; where there is no newer one the last good one is used.
func TestAListIsKept(t *testing.T) {
	var asked, broken atomic.Int64
	tools := "a"
	u := open(t, upstream.Config{ListTTL: time.Hour, Target: at(t, lister(mcp.Rev2511, &asked, func(string) string {
		if broken.Load() == 1 {
			return `{"tools":"none"}`
		}
		return page("", strings.Fields(tools)...)
	}), "/")})
	get := func(age time.Duration) upstream.Listing {
		l, err := u.Tools(t.Context(), "", age)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first := get(0)
	if again := get(0); again.Version != first.Version || asked.Load() != 1 {
		t.Errorf("asked %d times, version %d", asked.Load(), again.Version)
	}
	if again := get(time.Nanosecond); again.Version != first.Version || asked.Load() != 2 {
		t.Errorf("asked %d times; the version of an equal list is %d after %d", asked.Load(), again.Version, first.Version)
	}
	tools = "a b"
	if again := get(time.Nanosecond); again.Version == first.Version || names(again) != "a b" {
		t.Errorf("%+v", again)
	}
	broken.Store(1)
	if again := get(time.Nanosecond); names(again) != "a b" || again.Stale == nil {
		t.Errorf("%+v", again)
	}
	broken.Store(0)
	if again := get(time.Nanosecond); again.Stale != nil {
		t.Errorf("%+v", again)
	}
}

func TestAListThatCannotBeHad(t *testing.T) {
	var asked atomic.Int64
	u := open(t, upstream.Config{Target: at(t, lister(mcp.Rev2511, &asked, func(string) string { return `{}` }), "/")})
	_, err := u.Tools(t.Context(), "", 0)
	if e, ok := errors.AsType[errclass.Error](err); !ok || !strings.Contains(e.Message, "no list of tools") {
		t.Errorf("%v", err)
	}
}

func TestTheServerSaysThatItsListChanged(t *testing.T) {
	u := open(t, upstream.Config{Target: command(t, "script"), Revision: mcp.Rev2506, ListTTL: time.Hour})
	changing := func() upstream.Listing {
		l, err := u.Tools(t.Context(), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if first := changing(); names(first) != "list1" {
		t.Fatalf("%s", names(first))
	}
	if again := changing(); names(again) != "list1" {
		t.Errorf("asked again: %s", names(again))
	}
	succeeds(t, u, "changed")
	if again := changing(); names(again) != "list2" {
		t.Errorf("not asked again: %s", names(again))
	}
}
