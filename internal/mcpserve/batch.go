package mcpserve

import (
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/internal/rawjson"
	"github.com/peerwright/peerwright/internal/wire"
)

// serveBatch serves a batch, which only 2025-03-26 has. What is wrong is answered
// here; the SDK gets the rest as a batch.
//
// https://modelcontextprotocol.io/specification/2025-03-26/basic/index#batches
func (f *front) serveBatch(w http.ResponseWriter, r *http.Request, s *session, batch []wire.Message) {
	var refused, taken, silent [][]byte
	for _, m := range batch {
		if m.Method == "notifications/cancelled" {
			f.cancel(r, s, m)
			continue
		}
		raw, flt := f.member(s, m)
		switch {
		case flt != nil:
			refused = append(refused, flt.encode(m.ID, s.revision))
		case m.Kind == wire.KindRequest:
			taken = append(taken, raw)
		case raw != nil:
			silent = append(silent, raw)
		}
	}
	if len(silent) > 0 {
		f.tell(r, s, rawjson.Array(silent))
	}
	switch {
	case len(taken) > 0:
		f.serveTaken(w, r, s, taken, refused)
	case len(refused) > 0:
		answer(w, http.StatusOK, rawjson.Array(refused))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// member takes one message of a batch on.
func (f *front) member(s *session, m wire.Message) ([]byte, *fault) {
	if flt := f.judge.legacy(m); flt != nil {
		return nil, flt
	}
	if m.Kind != wire.KindRequest {
		return message(m), nil
	}
	t, flt := s.calls.begin(m)
	if flt != nil {
		return nil, flt
	}
	return f.judge.inbound(m, t), nil
}

// serveTaken streams the answers: first those that were given here, then those of
// the SDK.
func (f *front) serveTaken(w http.ResponseWriter, r *http.Request, s *session, taken, refused [][]byte) {
	out := newAnswerWriter(w, mender{s.revision, &s.calls, false, f.judge.cursors}, wire.ID{})
	defer out.close()
	if len(refused) > 0 {
		out.Header().Set("Content-Type", "text/event-stream")
	}
	for _, raw := range refused {
		_, _ = fmt.Fprintf(out, "event: message\ndata: %s\n\n", raw) // a client that left ends the request
	}
	f.exchange(s, out, rewritten(r, s.revision, rawjson.Array(taken)))
}
