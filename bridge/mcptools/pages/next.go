package pages

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"

	"github.com/peerwright/peerwright/internal/wire"
)

// following is what comes after a page.
type following struct {
	more  bool
	param string          // of the tool; "" where none is known
	value json.RawMessage // for it
	note  string          // why there is no cursor
}

const noParam = "there is more, but the tool has no parameter that is known to continue with"

// next reads what comes after the list.
func (f findings) next(list place) following {
	if f.ended() {
		return following{}
	}
	for _, name := range tokens {
		for _, p := range f.leaves {
			if p.key != name && (name != "next" || !p.isLink(name) || !isURL(p.value)) || isEmpty(p.value) || f.source.given(p.value) || wayOut(p) {
				continue
			}
			return f.source.by(p)
		}
	}
	if slices.ContainsFunc(f.leaves, func(p place) bool { return p.isLink("next") && !isEmpty(p.value) }) {
		return f.flagged(list) // a link without parameters says only that there is more
	}
	if f.closed(nexts) || slices.ContainsFunc(f.leaves, place.isAround) {
		return following{}
	}
	if !f.closed(tokens) {
		if n := f.counted(list); n.more {
			return n
		}
	}
	if slices.ContainsFunc(f.leaves, func(p place) bool { return slices.Contains(flags, p.key) && string(p.value) == "true" }) {
		return f.flagged(list)
	}
	return following{}
}

// wayOut tells what is no way on: a startCursor in pageInfo is that of this page, and an
// offset that is a number is where this page begins. One that is a text is a cursor.
func wayOut(p place) bool {
	return p.key == "startcursor" && p.under() == "pageinfo" || p.key == "offset" && p.value[0] != '"'
}

// closed tells whether a member of those names holds nothing.
func (f findings) closed(names []string) bool {
	return slices.ContainsFunc(f.leaves, func(p place) bool {
		return slices.Contains(names, p.key) && (string(p.value) == "null" || string(p.value) == `""`)
	})
}

// ended tells whether the result says itself that nothing follows.
func (f findings) ended() bool {
	return slices.ContainsFunc(f.leaves, func(p place) bool {
		return slices.Contains(flags, p.key) && string(p.value) == "false" || slices.Contains(ends, p.key) && string(p.value) == "true"
	})
}

func isEmpty(raw json.RawMessage) bool {
	s := string(raw)
	return s == "null" || s == `""` || s == "false" || s == "true"
}

// by finds the parameter for a value that leads on.
func (s Source) by(p place) following {
	if isURL(p.value) {
		return s.byURL(p.value)
	}
	names := tokenParams
	if p.value[0] != '"' {
		names = slices.Concat(pageParams, offsetParams, tokenParams)
		if p.key == "nextoffset" || p.key == "nextstart" {
			names = slices.Concat(offsetParams, tokenParams)
		}
	}
	if p.key == "nextpage" {
		names = slices.Concat(pageParams, tokenParams)
	}
	return s.follow(names, p.value)
}

func (s Source) follow(names []string, value json.RawMessage) following {
	if param := s.param(names); param != "" {
		return following{more: true, param: param, value: value}
	}
	return following{more: true, note: noParam}
}

// byURL takes the parameter out of a link to the next page.
func (s Source) byURL(raw json.RawMessage) following {
	text, _ := wire.Text(raw)
	link, err := url.Parse(text)
	if err != nil {
		return s.follow(urlParams, raw)
	}
	query := link.Query()
	for _, names := range [][]string{tokenParams, pageParams, offsetParams} {
		for _, wanted := range names {
			for name := range query {
				param := s.param([]string{wanted})
				if plain(name) != wanted || param == "" {
					continue
				}
				return following{more: true, param: param, value: s.typed(param, query.Get(name))}
			}
		}
	}
	return s.follow(urlParams, raw)
}

// counted goes by page numbers and offsets, where the result says how much there is.
func (f findings) counted(list place) following {
	if pages, ok := f.number(pageTotals); ok {
		if page := f.current(pageParams, 1); page < pages {
			return f.source.follow(pageParams, number(page+1))
		}
		return following{}
	}
	total, ok := f.number(totals)
	if !ok {
		return following{}
	}
	size := count(list.value)
	if param := f.source.param(offsetParams); param != "" && size > 0 {
		if at := f.current(offsetParams, 0); at+size < total {
			return following{more: true, param: param, value: number(at + size)}
		}
		return following{}
	}
	if f.source.param(pageParams) == "" && f.source.param(tokenParams) != "" {
		return following{} // it goes on by tokens, and gave none
	}
	page := f.current(pageParams, 1)
	limit, known := f.source.argument(limitParams)
	if !known {
		limit = size
	}
	if size > 0 && page*limit < total && size >= limit {
		return f.source.follow(pageParams, number(page+1))
	}
	return following{}
}

// flagged goes on where only a flag says that there is more: by the next page or offset, or
// after the last item.
func (f findings) flagged(list place) following {
	if f.source.param(pageParams) != "" {
		page := f.current(pageParams, 1)
		return f.source.follow(pageParams, number(page+1))
	}
	if f.source.param(offsetParams) != "" {
		at := f.current(offsetParams, 0)
		return f.source.follow(offsetParams, number(at+count(list.value)))
	}
	var id json.RawMessage
	wire.EachElement(list.value, func(item json.RawMessage) bool { id = wire.Get(item, "id"); return true })
	if id != nil {
		return f.source.follow([]string{"startingafter", "afterid"}, id)
	}
	return following{more: true, note: noParam}
}

// afterBare goes on after an array that says nothing of itself: while pages are full.
func (s Source) afterBare(list json.RawMessage) following {
	limit, known := s.argument(limitParams)
	if !known || limit <= 0 || count(list) < limit {
		return following{}
	}
	if s.param(pageParams) != "" {
		page, ok := s.argument(pageParams)
		if !ok {
			page = 1
		}
		return s.follow(pageParams, number(page+1))
	}
	if s.param(offsetParams) != "" {
		at, _ := s.argument(offsetParams)
		return s.follow(offsetParams, number(at+count(list)))
	}
	return following{}
}

// current is where this page is: as the result says, else as was asked for.
func (f findings) current(names []string, otherwise int) int {
	if n, ok := f.number(slices.Concat([]string{"currentpage"}, names)); ok {
		return n
	}
	if n, ok := f.source.argument(names); ok {
		return n
	}
	return otherwise
}

func (f findings) number(names []string) (int, bool) {
	for _, p := range f.leaves {
		if slices.Contains(names, p.key) {
			if n, err := strconv.Atoi(string(p.value)); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}

func number(n int) json.RawMessage { return json.RawMessage(strconv.Itoa(n)) }

func count(list json.RawMessage) int {
	n := 0
	wire.EachElement(list, func(json.RawMessage) bool { n++; return true })
	return n
}
