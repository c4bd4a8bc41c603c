package mcphttp

import (
	"fmt"
	"sync"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// stream is one way from the server to a client: the answer to a POST, or the stream
// that a GET opened. A client may be listening or not; what is sent while none is,
// is kept where it can be resumed.
type stream struct {
	number   int
	endless  bool   // it does not end with the answers that it owes
	keeps    int    // how many events are kept; 0 means that they have no ids
	primed   bool   // it begins with an event without data
	typeName string // of its events; "" leaves it out

	mu      sync.Mutex
	pending []wire.ID // the requests that it owes an answer
	over    bool
	last    int // the number of the last event
	kept    []keptEvent
	size    int     // bytes kept
	seen    int     // the last event that was written to a client
	out     *client // nil while none listens
}

// detach lets the client go if it is the one that listens.
func (s *stream) detach(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == c {
		s.letGo()
	}
}

func (s *stream) letGo() {
	if s.out != nil {
		close(s.out.gone)
		s.out = nil
	}
}

// owe adds the requests that the stream is to answer. It returns false when the
// stream is over.
func (s *stream) owe(ids []wire.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, ids...)
	return !s.over
}

// send writes one message. The answer, where it is the first thing written, goes out
// as JSON; everything else as an event. The stream ends with its last answer.
func (s *stream) send(raw []byte, status int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return fmt.Errorf("the stream of exchange %d is over: %w", s.number, transport.ErrClosed)
	}
	msg := wire.Parse(raw)
	whole := len(s.pending) <= 1 || msg.Kind == wire.KindBatch
	s.settle(msg)
	if s.endless || len(s.pending) > 0 {
		return s.emit(raw, status)
	}
	defer s.finish()
	if whole && s.out != nil && !s.out.begun {
		return s.out.writeJSON(raw, status)
	}
	return s.emit(raw, status)
}

// settle strikes off the request that the message answers. Where there is one alone,
// anything but a request or a notification is its answer, be it as wrong as it may:
// to judge that is not the transport's business.
func (s *stream) settle(msg wire.Message) {
	for _, one := range msg.Batch {
		s.settle(one)
	}
	if msg.Kind == wire.KindRequest || msg.Kind == wire.KindNotification || msg.Kind == wire.KindBatch {
		return
	}
	if len(s.pending) == 1 && !s.endless {
		s.pending = nil
		return
	}
	for i, id := range s.pending {
		if id.Equal(msg.ID) {
			s.pending = append(s.pending[:i:i], s.pending[i+1:]...)
			return
		}
	}
}

func (s *stream) finish() {
	s.over = true
	s.letGo()
}

// emit writes one event, and keeps it.
func (s *stream) emit(raw []byte, status int) error {
	s.prime()
	if raw == nil {
		raw = []byte{} // an event with empty data
	}
	event := s.event(raw)
	s.keep(event)
	if s.out == nil && s.keeps == 0 {
		return fmt.Errorf("the client of exchange %d is gone: %w", s.number, transport.ErrClosed)
	}
	if s.out != nil {
		s.out.status = status
		if err := s.write(event); err != nil && s.keeps == 0 {
			return fmt.Errorf("%w: %w", transport.ErrClosed, err)
		}
	}
	return nil
}

// abort answers what is still owed with an error, and ends the stream.
func (s *stream) abort(reason string) {
	s.mu.Lock()
	pending := s.pending
	s.mu.Unlock()
	for _, id := range pending {
		_ = s.send(wire.Failure(id, codeInternal, reason, nil), 0) // a client that is gone needs no answer
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.finish()
	}
}
