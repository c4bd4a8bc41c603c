package mcphttp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// session is the Link of one session of a legacy client.
type session struct {
	id     string
	opts   ServerOptions
	inbox  *transport.Queue
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	over     bool
	revision string          // as its initialize was answered
	last     int             // the number of the last exchange
	streams  map[int]*stream // 0 is that of GET
	finished []finished      // streams kept for a client that resumes them, oldest first
	size     int             // bytes kept in those
	active   int             // HTTP requests that are under way
	idle     *time.Timer     // runs while there are none; nil until then
}

// finished is a stream on which everything was answered.
type finished struct{ number, size int }

// keptStreams is how many answered streams a session keeps.
const keptStreams = 16

// newSession returns a session that its first request has entered.
func newSession(id string, opts ServerOptions, cancel context.CancelCauseFunc) *session {
	s := &session{id: id, opts: opts, inbox: transport.NewQueue(), cancel: cancel, active: 1}
	s.streams = map[int]*stream{0: {endless: true, keeps: opts.Replay}}
	return s
}

// Receive implements transport.Link.
func (s *session) Receive(ctx context.Context) (transport.Incoming, error) { return s.inbox.Get(ctx) }

// Send implements transport.Link. What is sent while the client does not listen is
// kept for it, as far as ServerOptions.Replay goes.
func (s *session) Send(_ context.Context, a transport.Answer) error {
	s.mu.Lock()
	to, listening := s.streams[a.Exchange], s.streams[0]
	s.mu.Unlock()
	if to == nil {
		return fmt.Errorf("the stream of exchange %d is over: %w", a.Exchange, transport.ErrClosed)
	}
	refused := false
	if a.Exchange == opening {
		refused = !s.agree(wire.Parse(a.Raw), to, listening)
	}
	err := to.send(a.Raw, a.Status)
	if over, kept := to.isOver(); over {
		s.retire(a.Exchange, kept)
	}
	if refused {
		s.cancel(errRefused)
	}
	return err
}

// opening is the exchange of the initialize that made the session.
const opening = 1

// agree notes the revision that the answer to initialize names. It returns false for
// an error, after which there is no session.
func (s *session) agree(answer wire.Message, to, listening *stream) bool {
	if answer.Kind == wire.KindError {
		to.withdraw(headerSession)
		return false
	}
	if answer.Kind != wire.KindResult {
		return true
	}
	revision, _ := wire.Text(wire.Get(answer.Result, "protocolVersion"))
	if revision >= firstWithPriming {
		listening.setPrimed()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision = revision
	return true
}

// batches tells whether the session takes arrays of messages: 2025-03-26 alone.
func (s *session) batches() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision == "2025-03-26"
}

// enter counts a request, so that the session is not idle; false means that it is
// over.
func (s *session) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	s.active++
	s.stopIdle()
	return true
}

func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.active == 0 && !s.over {
		s.idle = time.AfterFunc(s.opts.Idle, func() { s.cancel(errIdle) })
	}
}

func (s *session) stopIdle() {
	if s.idle != nil {
		s.idle.Stop()
	}
}

// take hands the message to the handler, with a stream to the client where one is
// owed. It returns false when the session is over.
func (s *session) take(msg wire.Message, c *client) (*stream, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, false
	}
	s.last++
	var answer *stream
	if owed := requestIDs(msg); len(owed) > 0 {
		answer = &stream{number: s.last, keeps: s.opts.Replay, primed: s.revision >= firstWithPriming, pending: owed, out: c}
		s.streams[s.last] = answer
	}
	s.inbox.Put(transport.Incoming{Message: msg, Exchange: s.last})
	return answer, true
}

// retire keeps an answered stream for a client that resumes it, and forgets the
// oldest of those once they are too many, or too large.
func (s *session) retire(number, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if size == 0 {
		delete(s.streams, number)
		return
	}
	if slices.ContainsFunc(s.finished, func(f finished) bool { return f.number == number }) {
		return
	}
	s.finished = append(s.finished, finished{number, size})
	s.size += size
	for len(s.finished) > keptStreams || s.size > keptBytes && len(s.finished) > 1 {
		delete(s.streams, s.finished[0].number)
		s.size -= s.finished[0].size
		s.finished = s.finished[1:]
	}
}

// find returns the stream that an event id names and the number of the event; nil
// when there is none.
func (s *session) find(eventID string) (to *stream, event int) {
	name, number, _ := strings.Cut(eventID, "-")
	n, errN := strconv.Atoi(name)
	event, errE := strconv.Atoi(number)
	if errN != nil || errE != nil || event < 0 {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[n], event
}

// attach makes the client listen: to the stream that is unasked for, or to the one
// that it resumes after an event.
func (s *session) attach(c *client, lastEventID string) error {
	if lastEventID == "" {
		s.mu.Lock()
		to := s.streams[0]
		s.mu.Unlock()
		if to == nil {
			return noSession(wire.ID{})
		}
		c.detach = func() { to.detach(c) }
		return to.listen(c)
	}
	to, after := s.find(lastEventID)
	if to == nil {
		return errGap
	}
	c.detach = func() { to.detach(c) }
	return to.resume(c, after)
}

// finish ends the session once its handler has returned.
func (s *session) finish(reason string) {
	s.mu.Lock()
	s.over = true
	s.stopIdle()
	streams := s.streams
	s.streams = nil
	s.mu.Unlock()
	s.inbox.Close(nil)
	for _, one := range streams {
		one.abort(reason)
	}
}
