package mutants

import (
	"encoding/json"
	"sync"

	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpPagination are servers that page wrongly.
func mcpPagination() []Mutant {
	return []Mutant{
		{
			ID: "pages-go-round", Doc: "the last page of tools/list leads back to the second",
			Kills: []string{"mcp.pagination.walk-ends"}, Revision: mcp.Rev2511, Swap: goesRound(),
		},
		{
			ID: "cursor-dropped", Doc: "a proxy passes list requests on without their cursor, so that each page is the first",
			Kills: []string{
				"mcp.pagination.walk-ends", "mcp.pagination.cursor-leads-on",
				"mcp.pagination.invalid-cursor", "mcp.pagination.ill-typed-cursor",
			},
			Revision: mcp.Rev2511, Hear: cursors(func(wire.Message) []byte { return nil }),
		},
		{
			ID: "second-page-is-the-first", Doc: "the second page of resources/templates/list has the items of the first",
			Kills:    []string{"mcp.pagination.cursor-leads-on", "mcp.pagination.no-duplicates"},
			Revision: mcp.Rev2607, Swap: onPages("resources/templates/list", func(p pages, page int, r map[string]any) {
				if page == 2 {
					r["resourceTemplates"] = p[1]["resourceTemplates"]
				}
			}),
		},
		{
			ID: "last-item-twice", Doc: "the second page of prompts/list begins with the last item of the first",
			Kills: []string{"mcp.pagination.no-duplicates"}, Revision: mcp.Rev2511,
			Swap: onPages("prompts/list", func(p pages, page int, r map[string]any) {
				if page == 2 {
					before := p[1]["prompts"].([]any)
					r["prompts"] = append([]any{before[len(before)-1]}, r["prompts"].([]any)...)
				}
			}),
		},
		{
			ID: "cursors-once-only", Doc: "a cursor is forgotten when its page was read",
			Kills: []string{"mcp.pagination.stable-cursor"}, Revision: mcp.Rev2511, Swap: onceOnly(),
		},
		{
			ID: "cursors-of-one-connection", Doc: "a cursor is known only on the connection that it was given on, in 2026-07-28",
			Kills: []string{"mcp.pagination.cursor-on-a-new-connection"}, Revision: mcp.Rev2607, Stdio: true,
			Pipe: perConnection(func() (Hear, Swap) {
				given := &cursorSet{given: map[string]bool{}}
				return nil, func(request, m wire.Message) [][]byte {
					given.note(m)
					if cursor, ok := cursorOf(request); ok && m.Kind == wire.KindResult && !given.has(cursor) {
						return [][]byte{wire.Failure(m.ID, invalidParams, "unknown cursor", nil)}
					}
					return keep(m)
				}
			}),
		},
		{
			ID: "page-scopes-differ", Doc: "the second page of prompts/list has another cacheScope than the first",
			Kills: []string{"mcp.pagination.cache-scope"}, Revision: mcp.Rev2607,
			Swap: onPages("prompts/list", func(_ pages, page int, r map[string]any) {
				if page == 2 {
					r["cacheScope"] = "private"
				}
			}),
		},
	}
}

// mcpCursors are servers that spell or read cursors wrongly.
func mcpCursors() []Mutant {
	given := &cursorSet{given: map[string]bool{}}
	return []Mutant{
		{
			ID: "any-cursor-is-none", Doc: "a cursor that was never given gets the first page",
			Kills: []string{"mcp.pagination.invalid-cursor"}, Revision: mcp.Rev2511,
			Swap: func(_, m wire.Message) [][]byte { given.note(m); return keep(m) },
			Hear: cursors(func(m wire.Message) []byte {
				cursor, text := cursorOf(m)
				if text && !given.has(cursor) {
					return nil
				}
				return wire.Get(m.Params, "cursor")
			}),
		},
		{
			ID: "bad-cursor-fails-inside", Doc: "a cursor that was never given is answered with -32603",
			Kills: []string{"mcp.pagination.invalid-cursor"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: func(request, m wire.Message) [][]byte {
				if _, ok := cursorOf(request); !ok || m.Kind != wire.KindError {
					return keep(m)
				}
				return [][]byte{wire.Failure(m.ID, internalError, "invalid base64", nil)}
			},
		},
		{
			ID: "number-cursor-is-none", Doc: "a cursor that is a number gets the first page",
			Kills: []string{"mcp.pagination.ill-typed-cursor"}, Revision: mcp.Rev2511,
			Hear: cursors(func(m wire.Message) []byte {
				if _, text := cursorOf(m); !text {
					return nil
				}
				return wire.Get(m.Params, "cursor")
			}),
		},
		{
			ID: "end-is-null", Doc: "nextCursor is null on the last page of tools/list",
			Kills: []string{"mcp.pagination.cursor-is-a-string", "mcp.schema.results"}, Revision: mcp.Rev2511,
			Swap: results("tools/list", ending(nil)),
		},
		{
			ID: "end-is-empty", Doc: `nextCursor is "" on the last page of tools/list, and "" leads to the first`,
			Kills:    []string{"mcp.pagination.end-without-cursor"},
			Revision: mcp.Rev2511, Server: onePage(), Swap: results("tools/list", ending("")),
			Hear: cursors(func(m wire.Message) []byte {
				if cursor, text := cursorOf(m); text && cursor == "" {
					return nil
				}
				return wire.Get(m.Params, "cursor")
			}),
		},
		{
			ID: "params-demanded", Doc: "a list request without params is answered with -32602",
			Kills: []string{"mcp.pagination.params-are-optional"}, Revision: mcp.Rev2511,
			Swap: func(request, m wire.Message) [][]byte {
				if !isList(request) || request.Params != nil {
					return keep(m)
				}
				return [][]byte{wire.Failure(m.ID, invalidParams, "params: required", nil)}
			},
		},
	}
}

// isList tells whether a request is for a page of a list.
func isList(m wire.Message) bool { return memberOf(m.Method) != "" }

// memberOf names the member that holds the items of a list; "" for other methods.
func memberOf(method string) string {
	switch method {
	case "tools/list":
		return "tools"
	case "resources/list":
		return "resources"
	case "resources/templates/list":
		return "resourceTemplates"
	case "prompts/list":
		return "prompts"
	}
	return ""
}

// cursorOf returns the cursor of a list request, and false when it has none that is
// a string.
func cursorOf(request wire.Message) (string, bool) {
	if !isList(request) {
		return "", false
	}
	return wire.Text(wire.Get(request.Params, "cursor"))
}

// cursors makes a Hear that changes the cursors of list requests; nil leaves them
// out.
func cursors(edit func(m wire.Message) []byte) Hear {
	return func(m wire.Message) ([]byte, []byte) {
		if !isList(m) || wire.Get(m.Params, "cursor") == nil {
			return m.Raw, nil
		}
		params := decode(m.Params)
		delete(params, "cursor")
		if cursor := edit(m); cursor != nil {
			params["cursor"] = json.RawMessage(cursor)
		}
		return wire.Request(m.ID, m.Method, encode(params)), nil
	}
}

// ending makes an edit that puts a nextCursor on the last page.
func ending(cursor any) func(wire.Message, map[string]any) any {
	return func(_ wire.Message, r map[string]any) any {
		if _, more := r["nextCursor"]; !more {
			r["nextCursor"] = cursor
		}
		return r
	}
}

// onePage is a server whose lists fit on one page.
func onePage() mcppeer.Options { return mcppeer.Options{PageSize: 100} }

// cursorSet remembers which cursors were given.
type cursorSet struct {
	mu    sync.Mutex
	given map[string]bool
}

func (s *cursorSet) note(m wire.Message) {
	cursor, ok := wire.Text(wire.Get(m.Result, "nextCursor"))
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given[cursor] = true
}

func (s *cursorSet) has(cursor string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given[cursor]
}

// onceOnly makes a Swap that answers the second use of a cursor with an error.
func onceOnly() Swap {
	used := &cursorSet{given: map[string]bool{}}
	return func(request, m wire.Message) [][]byte {
		cursor, ok := cursorOf(request)
		if !ok || m.Kind != wire.KindResult {
			return keep(m)
		}
		used.mu.Lock()
		defer used.mu.Unlock()
		if used.given[cursor] {
			return [][]byte{wire.Failure(m.ID, invalidParams, "the cursor has expired", nil)}
		}
		used.given[cursor] = true
		return keep(m)
	}
}

// pages are the results of one list so far, by their number from 1.
type pages map[int]map[string]any

// onPages makes a Swap that edits the pages of one list, with those before at hand.
func onPages(method string, edit func(before pages, page int, result map[string]any)) Swap {
	var mu sync.Mutex
	seen, number := pages{}, map[string]int{"": 1} // by the cursor that leads there
	return results(method, func(request wire.Message, r map[string]any) any {
		mu.Lock()
		defer mu.Unlock()
		cursor, _ := cursorOf(request)
		page := number[cursor]
		if next, more := r["nextCursor"].(string); more {
			number[next] = page + 1
		}
		seen[page] = decode(encode(r))
		edit(seen, page, r)
		return r
	})
}

// goesRound makes a Swap whose last page of tools/list leads to the second.
func goesRound() Swap {
	return onPages("tools/list", func(p pages, _ int, r map[string]any) {
		if _, more := r["nextCursor"]; !more {
			r["nextCursor"] = p[1]["nextCursor"]
		}
	})
}
