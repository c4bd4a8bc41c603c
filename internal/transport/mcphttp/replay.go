package mcphttp

import (
	"errors"
	"strconv"

	"github.com/peerwright/peerwright/internal/wire"
)

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

// isOver tells whether everything owed was answered, and how many bytes of it are
// kept.
func (s *stream) isOver() (over bool, kept int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over, s.size
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

// eventID makes ids that are unique in the session and name the stream.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
func (s *stream) eventID(event int) string {
	return strconv.Itoa(s.number) + "-" + strconv.Itoa(event)
}
