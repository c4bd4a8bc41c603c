package mcphttp

import (
	"errors"
	"fmt"
	"strconv"
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

type keptEvent struct {
	number int
	bytes  []byte
}

// keptBytes bounds what one stream keeps; the last event is kept whatever its size.
const keptBytes = 8 << 20

// Why a client cannot listen to a stream.
var (
	errTaken = errors.New("another client listens to this stream")
	errGap   = errors.New("what was sent after this event is no longer kept")
)

// listen makes the client the one that listens, and writes what none has seen yet.
// It fails with errTaken while another one listens.
func (s *stream) listen(c *client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out != nil {
		return errTaken
	}
	s.attach(c, s.seen)
	return nil
}

// resume makes the client the one that listens, in place of any other, and writes
// what was sent after the event. It fails with errGap where that is not to be had.
func (s *stream) resume(c *client, after int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) > 0 && after < s.kept[0].number-1 || after > s.last {
		return errGap
	}
	s.letGo()
	s.attach(c, after)
	return nil
}

func (s *stream) attach(c *client, after int) {
	s.out = c
	if c.begin() != nil || s.over && s.last == after {
		s.letGo()
		return
	}
	s.prime()
	for _, event := range s.kept {
		if event.number > after && s.out != nil {
			_ = s.write(event) // a client that is gone is let go
		}
	}
	if s.over {
		s.letGo()
	}
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
	only := len(s.pending) <= 1
	s.settle(wire.Parse(raw))
	if s.endless || len(s.pending) > 0 {
		return s.emit(raw, status)
	}
	defer s.finish()
	if only && s.out != nil && !s.out.begun {
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

// setPrimed makes the stream begin with an event without data.
func (s *stream) setPrimed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.primed = true
}

// withdraw takes back a header that was not written yet.
func (s *stream) withdraw(header string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out != nil && !s.out.begun {
		s.out.w.Header().Del(header)
	}
}

// isOver tells whether everything owed was answered, and whether anything is kept of
// it.
func (s *stream) isOver() (over, kept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over, len(s.kept) > 0
}

// prime lets a client resume from the very beginning.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
func (s *stream) prime() {
	if s.primed && s.keeps > 0 && s.last == 0 {
		event := s.event([]byte{})
		s.keep(event)
		if s.out != nil {
			_ = s.write(event) // what follows fails too
		}
	}
}

func (s *stream) event(data []byte) keptEvent {
	s.last++
	e := wire.OutEvent{Type: s.typeName, Data: data}
	if s.keeps > 0 {
		e.ID = s.eventID(s.last)
	}
	return keptEvent{s.last, wire.AppendEvent(nil, e)}
}

// write lets go of a client that is gone.
func (s *stream) write(event keptEvent) error {
	if err := s.out.writeEvents(event.bytes); err != nil {
		s.letGo()
		return err
	}
	s.seen = event.number
	return nil
}

func (s *stream) keep(event keptEvent) {
	if s.keeps == 0 {
		return
	}
	s.kept = append(s.kept, event)
	s.size += len(event.bytes)
	for len(s.kept) > s.keeps || s.size > keptBytes && len(s.kept) > 1 {
		s.size -= len(s.kept[0].bytes)
		s.kept = s.kept[1:]
	}
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

// eventID makes ids that are unique in the session and name the stream.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
func (s *stream) eventID(event int) string {
	return strconv.Itoa(s.number) + "-" + strconv.Itoa(event)
}
