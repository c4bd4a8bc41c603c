package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Listing is what a server offers.
type Listing struct {
	Tools    []json.RawMessage // each as received, no name twice
	Problems []string          // what was wrong with the list, and which tools were left out
	Version  int               // another one says that something changed
	Stale    error             // why there is no newer one; nil where it is up to date
}

// shelf keeps the last good listing. The slot's lock guards it.
type shelf struct {
	listing Listing
	there   bool      // there was one
	old     bool      // something says that it changed
	at      time.Time // of the listing
	until   time.Time // it is good, if nothing says otherwise
	changes int       // how often the server said so
	walking *flight[Listing]
}

// againAfter is how long a failed listing is not tried again.
const againAfter = 5 * time.Second

// Tools returns the tools of the server, all pages of them. The listing is kept until the
// server says that it changed, or its time is over, or it is older than maxAge; 0 takes
// any age. Where a newer one cannot be had the last good one is returned, and says so. The
// error is always an errclass.Error.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools
func (u *Upstream) Tools(ctx context.Context, c Credential, maxAge time.Duration) (Listing, error) {
	reads := errclass.Call{ReadOnly: true}
	s, leave, err := u.slot(c)
	if err != nil {
		return Listing{}, u.own.classify(&notRunError{err}, reads)
	}
	defer leave()
	listing, walk := s.shelved(maxAge)
	if walk == nil {
		return listing, nil
	}
	if listing, err = walk.wait(ctx); err != nil {
		return listing, s.classify(err, reads)
	}
	return listing, nil
}

// shelved returns the listing there is, or the walk to wait for.
func (s *slot) shelved(maxAge time.Duration) (Listing, *flight[Listing]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, now := &s.shelf, s.u.config.Now()
	if h.there && !h.old && now.Before(h.until) && (maxAge == 0 || now.Sub(h.at) < maxAge) {
		return h.listing, nil
	}
	if h.walking == nil {
		walk := newFlight[Listing]()
		if !s.u.spawn(func() { walk.land(s.relist()) }) {
			walk.land(Listing{}, errClosing)
			return Listing{}, walk
		}
		h.walking = walk
	}
	return Listing{}, h.walking
}

// relist walks the list and keeps what came.
func (s *slot) relist() (Listing, error) {
	s.mu.Lock()
	changes := s.shelf.changes
	s.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(s.u.life, s.u.config.Timeout, &timeoutError{s.u.config.Timeout})
	defer cancel()
	w := walk{seen: map[string]bool{}, ttl: s.u.config.ListTTL}
	err := s.walk(ctx, &w)

	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.shelf
	h.walking = nil
	if err != nil {
		if !h.there {
			return Listing{}, err
		}
		h.listing.Stale = s.classify(err, errclass.Call{ReadOnly: true})
		h.old, h.until = false, s.u.config.Now().Add(againAfter)
		return h.listing, nil
	}
	if s.now != nil {
		w.refuse(s.now.learn(w.tools))
	}
	version := h.listing.Version
	if !h.there || !slices.EqualFunc(h.listing.Tools, w.tools, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		version++
	}
	h.listing = Listing{Tools: w.tools, Problems: w.problems, Version: version}
	h.at = s.u.config.Now()
	h.there, h.old, h.until = true, h.changes != changes, h.at.Add(w.ttl)
	return h.listing, nil
}

// observe is told what the server says unasked.
func (s *slot) observe(in transport.Incoming) {
	if in.Method != "notifications/tools/list_changed" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shelf.changes++
	s.shelf.old = true
}

// The bounds of a walk.
const (
	maxPages = 1000
	maxTools = 10_000
	minTTL   = time.Second
)

// walk is a list on its way.
type walk struct {
	tools    []json.RawMessage
	names    []string
	problems []string
	seen     map[string]bool // names of tools
	full     bool            // there are more tools than are taken
	ttl      time.Duration
}

// walk reads page after page. A cursor that came before, or too many pages, end it: what
// has come by then is kept.
func (s *slot) walk(ctx context.Context, w *walk) error {
	cursors := map[string]bool{}
	var params []wire.Member
	for range maxPages {
		reply, err := s.exchange(ctx, request{method: "tools/list", params: params})
		if err != nil {
			return err
		}
		if reply.Error != nil {
			return s.refused(reply.Error, reply.Delivery, errclass.Call{ReadOnly: true})
		}
		if err := w.page(reply.Result); err != nil {
			return err
		}
		cursor, more := w.next(reply.Result, s.modern())
		switch {
		case w.full:
			w.problem("the list has more than %d tools; the rest is left out", maxTools)
			return nil
		case !more:
			return nil
		case cursors[string(cursor)]:
			w.problem("the list has no end: the cursor %.40s came twice; what came before is used", cursor)
			return nil
		}
		cursors[string(cursor)] = true
		params = []wire.Member{{Name: "cursor", Value: cursor}}
	}
	w.problem("the list has more than %d pages; the rest is left out", maxPages)
	return nil
}

func (s *slot) modern() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now != nil && s.now.client.Modern()
}

// page takes the tools of one page.
func (w *walk) page(result json.RawMessage) error {
	var tools []json.RawMessage
	if err := json.Unmarshal(wire.Get(result, "tools"), &tools); err != nil {
		return fmt.Errorf("tools/list: the result has no list of tools: %w", err)
	}
	for _, tool := range tools {
		name, ok := wire.Text(wire.Get(tool, "name"))
		switch {
		case !ok || name == "":
			w.problem("a tool without a name is left out")
		case w.seen[name]:
			w.problem("the tool %q stands twice in the list; the first is used", name)
		case len(w.tools) == maxTools:
			w.full = true
			return nil
		default:
			w.seen[name] = true
			w.tools, w.names = append(w.tools, tool), append(w.names, name)
		}
	}
	var ttl float64
	if json.Unmarshal(wire.Get(result, "ttlMs"), &ttl) == nil && ttl >= 0 && ttl < float64(w.ttl/time.Millisecond) {
		w.ttl = max(time.Duration(ttl)*time.Millisecond, minTTL)
	}
	return nil
}

// next returns the cursor of the next page, as JSON. An empty one is one since 2026-07-28,
// and before that an end in bad style, as is null always.
//
// https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
func (w *walk) next(result json.RawMessage, modern bool) (json.RawMessage, bool) {
	cursor := bytes.TrimSpace(wire.Get(result, "nextCursor"))
	switch {
	case cursor == nil:
		return nil, false
	case string(cursor) == "null", string(cursor) == `""` && !modern:
		w.problem("nextCursor is %s at the end of the list; it should be left out", cursor)
		return nil, false
	case cursor[0] != '"':
		w.problem("nextCursor is %.40s, which is no string; it is sent back as it is", cursor)
	}
	return cursor, true
}

// refuse leaves out the tools that ask for headers they may not have.
func (w *walk) refuse(refused map[string]error) {
	if len(refused) == 0 {
		return
	}
	var kept []json.RawMessage
	for i, tool := range w.tools {
		if err := refused[w.names[i]]; err != nil {
			w.problem("the tool %q is left out: %v", w.names[i], err)
		} else {
			kept = append(kept, tool)
		}
	}
	w.tools = kept
}

func (w *walk) problem(format string, args ...any) {
	if len(w.problems) < 100 {
		w.problems = append(w.problems, fmt.Sprintf(format, args...))
	}
}
