package mcpserve

import (
	"context"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// servePostLegacy serves what a client of the revisions with sessions posts.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
func (f *front) servePostLegacy(w http.ResponseWriter, r *http.Request, m wire.Message) {
	if r.Header.Get(headerSession) == "" {
		f.servePostUnopened(w, r, m)
		return
	}
	s, ok := f.session(w, r)
	if !ok {
		return
	}
	if m.Kind == wire.KindBatch && s.revision == rev2025a && len(m.Batch) > 0 {
		f.serveBatch(w, r, s, m.Batch)
		return
	}
	if flt := f.judge.legacy(m); flt != nil {
		refuse(w, flt.status(legacyEra), flt, m.ID, s.revision)
		return
	}
	if m.Kind == wire.KindRequest {
		f.serveRequest(w, r, s, m)
		return
	}
	if m.Method == "notifications/cancelled" {
		f.cancel(r, s, m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if raw := message(m); raw != nil {
		f.legacy.ServeHTTP(w, rewritten(r, s.revision, raw))
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// message puts a notification or a response in the form that the SDK gets; nil
// when it need not have it.
func message(m wire.Message) []byte {
	if m.IsResponse() || m.Method == "notifications/initialized" || m.Method == "notifications/roots/list_changed" {
		return m.Raw
	}
	return nil
}

// cancel cancels a call on the client's wish.
func (f *front) cancel(r *http.Request, s *session, m wire.Message) {
	if t, ok := s.calls.cancel(wire.Get(m.Params, "requestId")); ok {
		f.insist(r, s, t)
	}
}

// insist tells the SDK to cancel the call until the SDK is done with it: it does
// not hear of the cancellation of a call that it has not begun yet.
func (f *front) insist(r *http.Request, s *session, t tag) {
	r = r.WithContext(context.WithoutCancel(r.Context()))
	r.Body = nil
	f.tell(r, s, cancelled(t))
	go func() {
		again := time.NewTicker(headAfter)
		defer again.Stop()
		for range insistTimes {
			select {
			case <-s.calls.settled(t):
				return
			case <-again.C:
				f.tell(r, s, cancelled(t))
			}
		}
	}()
}

// insistTimes bounds how often the SDK is told.
const insistTimes = 50

// servePostUnopened serves a client that names no session: it may open one, and
// nothing else.
func (f *front) servePostUnopened(w http.ResponseWriter, r *http.Request, m wire.Message) {
	version := r.Header.Get(headerVersion)
	flt := checkEnvelope(m)
	switch {
	case flt != nil:
	case version != "" && !isLegacy(version):
		flt = faultf(codeInvalidRequest, "unsupported protocol version %q", version)
	case m.Kind != wire.KindRequest || m.Method != "initialize":
		flt = faultf(codeInvalidRequest, "invalid request: the Mcp-Session-Id header is missing; initialize opens a session")
	default:
		flt = f.judge.method(m, legacyEra)
	}
	if flt != nil {
		refuse(w, flt.status(legacyEra), flt, m.ID, version)
		return
	}
	f.initialize(w, r, m)
}

// initialize lets the SDK open a session, and takes note of it as soon as its id
// is about to be told.
func (f *front) initialize(w http.ResponseWriter, r *http.Request, m wire.Message) {
	requested, _ := wire.Text(wire.Get(m.Params, "protocolVersion")) // a string, as checked
	fresh := &calls{}
	t, _ := fresh.begin(m) // the first cannot be a duplicate
	revision := negotiated(requested)
	out := newAnswerWriter(w, mender{revision, fresh, false, f.judge.cursors}, m.ID)
	defer out.close()
	out.head = func(h http.Header) {
		if id := h.Get(headerSession); id != "" {
			f.open(id, f.caller(r), revision)
		}
	}
	f.legacy.ServeHTTP(out, rewritten(r, revision, f.judge.inbound(m, t)))
}

// serveRequest serves one request within a session.
func (f *front) serveRequest(w http.ResponseWriter, r *http.Request, s *session, m wire.Message) {
	t, flt := s.calls.begin(m)
	if flt != nil {
		refuse(w, flt.status(legacyEra), flt, m.ID, s.revision)
		return
	}
	out := newAnswerWriter(w, mender{s.revision, &s.calls, false, f.judge.cursors}, m.ID)
	defer out.close()
	out.headWithin(headAfter)
	f.exchange(s, out, rewritten(r, s.revision, f.judge.inbound(m, t)))
	if out.textual {
		s.calls.end(t) // the SDK never took it
	}
}
