package chat

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// pageCases follow the cursor of a list that a tool gives, where one does.
func pageCases() []conformance.Case {
	return []conformance.Case{pageShape(), pageWalk(), pageAltered(), pageMadeUp(), pageOtherTool(), pageOtherArguments()}
}

func pageMeta(id, title, rule, fix string) conformance.Meta {
	return about(conformance.Pagination, id, title, reporters.Must, needs(Contract, CallableTool), rule, bridgeDocs+"#tools", fix)
}

func pageShape() conformance.Case {
	return conformance.Case{
		Meta: pageMeta("shape", "A list says whether there is more, and how to get it",
			"A list is {data, pagination}: has_more is true with a cursor that is text, and false with the cursor null.", "Set has_more by whether there is a cursor."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			lists := 0
			for _, v := range s.working(ctx, c) {
				page := at(v.result("0"), "pagination")
				if page == nil {
					continue
				}
				lists++
				more, cursor := string(at(page, "has_more")), kind(at(page, "cursor"))
				c.That(kind(at(v.result("0"), "data")) == "array" && (more == "true" && cursor == "string" || more == "false" && cursor == "null"),
					"data, and has_more that agrees with the cursor", "%s", clip(string(v.result("0"))))
			}
			if lists == 0 {
				c.NotVerified("no tool that may be called gave a list")
			}
		}),
	}
}

// paged returns a tool whose first call gave a list with more behind it, and its cursor;
// one that has arguments to vary where there is one.
func (s *Session) paged(ctx context.Context, c *conformance.Check) (found visit, cursor string) {
	for _, v := range s.working(ctx, c) {
		text, _ := wire.Text(at(v.result("0"), "pagination", "cursor"))
		if text != "" && (cursor == "" || v.other() != nil && found.other() == nil) {
			found, cursor = v, text
		}
	}
	if cursor == "" {
		c.NotVerified("no tool that may be called gave a list with more behind it")
	}
	return found, cursor
}

// next calls a tool again with a cursor.
func (s *Session) next(ctx context.Context, c *conformance.Check, v visit, cursor, why string) answer {
	members := append(wire.Fields(v.args), wire.Member{Name: "cursor", Value: wire.Quote(cursor)})
	return s.run(ctx, c, v.why+"; "+why, []call{{id: "call_1", name: v.name, args: string(wire.Object(members))}})
}

func pageWalk() conformance.Case {
	const most = 50
	return conformance.Case{
		Meta: pageMeta("walk", "The cursor leads on, and to an end",
			"Passing the cursor back as argument cursor gives the next page; no page comes twice, and the last has no cursor.", "Put the cursor into the parameter that the upstream has for it."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v, cursor := s.paged(ctx, c)
			seen := map[string]bool{string(at(v.result("0"), "data")): true}
			for range most {
				a := s.next(ctx, c, v, cursor, "its list is walked")
				data := at(a.result("0"), "data")
				c.That(a.status == 200 && kind(data) == "array", "the next page of "+v.name, "status %d, %s", a.status, clip(string(a.body)))
				c.That(!seen[string(data)] || len(elements(data)) == 0, "no page twice", "%s again", clip(string(data)))
				seen[string(data)] = true
				if cursor, _ = wire.Text(at(a.result("0"), "pagination", "cursor")); cursor == "" {
					return
				}
			}
			c.NotVerified("the list has more than %d pages", most)
		}),
	}
}

func pageAltered() conformance.Case {
	return conformance.Case{
		Meta: pageMeta("altered", "A cursor that was changed is refused",
			"A cursor is signed: one with a letter changed is invalid_args, and not run.", "Check the signature before anything is read of a cursor."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v, cursor := s.paged(ctx, c)
			changed := []byte(cursor)
			i := len(changed) / 2
			if changed[i]++; cursor[i] == 'z' || cursor[i] == 'Z' || cursor[i] == '9' || cursor[i] == '.' || cursor[i] == '-' || cursor[i] == '_' {
				changed[i] = 'a'
			}
			refused(c, s.next(ctx, c, v, string(changed), "with a cursor that must be refused"), "a cursor with a letter changed", "invalid_args")
		}),
	}
}

func pageMadeUp() conformance.Case {
	return conformance.Case{
		Meta: pageMeta("made-up", "A cursor that the bridge did not give is refused",
			"A cursor of somebody else's is invalid_args, and not run.", "Take only cursors with your own signature."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v, _ := s.paged(ctx, c)
			refused(c, s.next(ctx, c, v, "pwc1.bm90LW91cnM", "with a cursor that must be refused"), "a cursor that was made up", "invalid_args")
		}),
	}
}

func pageOtherTool() conformance.Case {
	return conformance.Case{
		Meta: pageMeta("other-tool", "A cursor of another tool is refused",
			"A cursor is bound to its tool: passed to another it is invalid_args, and not run.", "Put the tool into what is signed."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v, cursor := s.paged(ctx, c)
			others := slices.DeleteFunc(slices.Clone(s.target.facts.callable), func(u tool) bool { return u.name == v.name })
			if len(others) == 0 {
				c.NotVerified("no other tool may be called")
			}
			u := others[max(0, slices.IndexFunc(others, func(u tool) bool { return at(u.parameters, "properties", "cursor") != nil }))]
			refused(c, s.next(ctx, c, visit{tool: u}, cursor, "with a cursor that must be refused"), "a cursor of "+v.name+" for "+u.name, "invalid_args")
		}),
	}
}

func pageOtherArguments() conformance.Case {
	return conformance.Case{
		Meta: pageMeta("other-arguments", "A cursor with other arguments is refused",
			"A cursor is bound to the arguments of the first call: with others it is invalid_args, and not run.", "Put a digest of the arguments into what is signed."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v, cursor := s.paged(ctx, c)
			if v.args = v.other(); v.args == nil {
				c.NotVerified("%s has no arguments to vary", v.name)
			}
			refused(c, s.next(ctx, c, v, cursor, "with a cursor that must be refused"), "a cursor with the arguments "+string(v.args), "invalid_args")
		}),
	}
}

// sameJSON tells whether two results are alike: a bridge writes both in one way.
func sameJSON(a, b json.RawMessage) bool { return string(a) == string(b) }
