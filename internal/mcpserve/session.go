package mcpserve

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/internal/wire"
)

// sessionIdle is how long a session lives that nobody uses.
const sessionIdle = 10 * time.Minute

// session is what the front knows of a session of the legacy revisions.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
type session struct {
	id       string
	owner    string // whose it is; "" where nobody can tell
	revision string
	calls    calls
	ended    chan struct{}
	standing chan struct{} // holds one token: the right to the one stream that the SDK listens on

	mu      sync.Mutex
	last    string // id of the last event of that stream
	holders map[string]*holder
}

func newSession(id, owner, revision string) *session {
	s := &session{id: id, owner: owner, revision: revision, ended: make(chan struct{}), standing: make(chan struct{}, 1), holders: map[string]*holder{}}
	s.standing <- struct{}{}
	return s
}

// session finds the session that the request names; it answers 404 when there is
// none or it is another's, and 400 when the request names a revision that does not exist.
func (f *front) session(w http.ResponseWriter, r *http.Request) (*session, bool) {
	f.mu.Lock()
	s, ok := f.sessions[r.Header.Get(headerSession)]
	f.mu.Unlock()
	if !ok || s.owner != f.caller(r) {
		refuse(w, http.StatusNotFound, faultf(codeInvalidRequest, "there is no such session: open one with initialize"), wire.ID{}, rev2025c)
		return nil, false
	}
	version := r.Header.Get(headerVersion)
	if version != "" && !isLegacy(version) {
		refuse(w, http.StatusBadRequest, faultf(codeInvalidRequest, "unsupported protocol version %q", version), wire.ID{}, s.revision)
		return nil, false
	}
	return s, true
}

// open takes note of a session that the SDK has opened.
func (f *front) open(id, owner, revision string) *session {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := newSession(id, owner, revision)
	f.sessions[id] = s
	return s
}

// forget drops the session; it tells whether it was there.
func (f *front) forget(s *session) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sessions[s.id] != s {
		return false
	}
	delete(f.sessions, s.id)
	close(s.ended)
	return true
}

// endSession ends a session on the client's wish, with all that still runs in it.
func (f *front) endSession(w http.ResponseWriter, r *http.Request, s *session) {
	if !f.forget(s) {
		refuse(w, http.StatusNotFound, faultf(codeInvalidRequest, "the session has ended"), wire.ID{}, s.revision)
		return
	}
	for _, t := range s.calls.all() {
		if t, ok := s.calls.cancel([]byte(t.id.String())); ok {
			f.insist(r, s, t)
		}
	}
	f.legacy.ServeHTTP(w, r)
}

// tell gives the SDK a notification whose HTTP answer concerns nobody.
func (f *front) tell(r *http.Request, s *session, raw []byte) {
	f.legacy.ServeHTTP(&discard{header: http.Header{}}, rewritten(r, s.revision, raw))
}

// cancelled is the notification that cancels the SDK's side of the call.
func cancelled(t tag) []byte {
	return wire.Notification("notifications/cancelled", []byte(fmt.Sprintf(`{"requestId":%s}`, t.wireID())))
}

// watchedStore is an event store that tells the front of every answer, also of
// those that no connection is left to carry.
type watchedStore struct {
	mcp.EventStore
	front *front
}

// Append implements mcp.EventStore.
func (w watchedStore) Append(ctx context.Context, sessionID, streamID string, data []byte) error {
	if m := wire.Parse(data); len(data) > 0 && m.IsResponse() {
		if t, ok := parseTag([]byte(m.ID.String())); ok {
			w.front.answered(sessionID, t)
		}
	}
	return w.EventStore.Append(ctx, sessionID, streamID, data) //nolint:wrapcheck // the SDK's own error, to the SDK
}

func (f *front) answered(sessionID string, t tag) {
	f.mu.Lock()
	s, ok := f.sessions[sessionID]
	f.mu.Unlock()
	if ok {
		s.calls.end(t)
		s.calls.settle(t)
	}
}

// SessionClosed implements mcp.EventStore: the SDK ends sessions that nobody uses.
func (w watchedStore) SessionClosed(ctx context.Context, sessionID string) error {
	w.front.mu.Lock()
	s, ok := w.front.sessions[sessionID]
	w.front.mu.Unlock()
	if ok {
		w.front.forget(s)
	}
	return w.EventStore.SessionClosed(ctx, sessionID) //nolint:wrapcheck // the SDK's own error, to the SDK
}
