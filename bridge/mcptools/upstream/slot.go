package upstream

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/redact"
)

// slot is the conversation with the server under one credential. It is begun when it is
// needed, and begun anew when it was lost.
type slot struct {
	u    *Upstream
	way  dial.Way
	hide *redact.Redactor

	mu        sync.Mutex
	now       *live              // nil while there is none
	starting  *flight[*live]     // nil while none is being begun
	lives     map[*live]struct{} // all that are not closed yet
	starts    int                // conversations that were begun
	fails     int                // starts in a row that failed, or led to a sudden end
	notBefore time.Time          // when the next may be tried
	last      error              // why the last one failed or ended
	closed    bool
	shelf     shelf
}

func (u *Upstream) newSlot(c Credential) (*slot, error) {
	target := u.config.Target
	target.Header = maps.Clone(target.Header)
	if c != "" {
		if target.Header == nil {
			target.Header = http.Header{}
		}
		target.Header.Set("Authorization", string(c))
	}
	way, err := dial.Resolve(target)
	if err != nil {
		return nil, fmt.Errorf("upstream %s: %w", u.config.ID, err)
	}
	key := make([]byte, 32)
	if _, err := io.ReadFull(u.config.Random, key); err != nil {
		return nil, fmt.Errorf("upstream %s: reading random bytes: %w", u.config.ID, err)
	}
	hide := redact.New(key).Known(redact.URLSecrets(target.URL)...)
	for name, values := range target.Header {
		for _, value := range values {
			hide.Known(redact.HeaderSecrets(name, value)...)
		}
	}
	return &slot{u: u, way: way, hide: hide, lives: map[*live]struct{}{}}, nil
}

// startError says that there is no conversation, and when one will be tried again.
type startError struct {
	cause error
	wait  time.Duration // 0 where the next call tries at once
}

func (e *startError) Error() string {
	if e.wait > 0 {
		return fmt.Sprintf("%v; the next attempt is in %v", e.cause, e.wait.Round(time.Millisecond))
	}
	return e.cause.Error()
}

func (e *startError) Unwrap() error { return e.cause }

// acquire returns the conversation, which it begins where there is none; release must
// be called.
func (s *slot) acquire(ctx context.Context) (*live, error) {
	for {
		l, starting, err := s.look()
		if l != nil || err != nil {
			return l, err
		}
		if _, err := starting.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// look returns the conversation, or the beginning of one, or why there is neither.
func (s *slot) look() (*live, *flight[*live], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, errClosing
	}
	if l := s.now; l != nil {
		if err := l.ended(); err == nil {
			l.users++
			return l, nil, nil
		} else {
			s.lost(l, err)
		}
	}
	if s.starting == nil {
		if wait := s.notBefore.Sub(s.u.config.Now()); wait > 0 {
			return nil, nil, &startError{s.last, wait}
		}
		s.begin()
	}
	return nil, s.starting, nil
}

// lost takes note of a conversation that came to an end by itself. The caller holds the
// lock.
func (s *slot) lost(l *live, why error) {
	s.now, s.last = nil, why
	s.shelf.old = true // another process may offer other tools
	if s.u.config.Now().Sub(l.since) < s.u.config.Steady {
		s.failed()
	}
	s.retire(l)
	s.u.config.Log.Warn("upstream was lost", "upstream", s.u.config.ID, "error", s.text(why.Error()))
}

// The wait before a start that follows failed ones: none after the first, and then
// twice as long each time.
const firstWait, longestWait = 100 * time.Millisecond, 30 * time.Second

func (s *slot) failed() {
	s.fails++
	if s.fails < 2 {
		return
	}
	wait := min(firstWait<<min(s.fails-2, 20), longestWait)
	wait = wait/2 + rand.N(wait/2+1) //nolint:gosec // only spreads the restarts of several bridges
	s.notBefore = s.u.config.Now().Add(wait)
}

// begin begins a conversation. The caller holds the lock.
func (s *slot) begin() {
	starting := newFlight[*live]()
	s.starting = starting
	spawned := s.u.spawn(func() {
		l, err := s.connect()
		err = s.began(l, err)
		starting.land(l, err)
	})
	if !spawned {
		starting.land(nil, errClosing)
	}
}

// began takes note of what came of a start.
func (s *slot) began(l *live, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = nil
	if err != nil {
		s.last = err
		s.failed()
		s.u.config.Log.Warn("upstream could not be reached", "upstream", s.u.config.ID, "error", s.text(err.Error()))
		return &startError{cause: err}
	}
	s.starts++
	s.lives[l] = struct{}{} // from where close takes it
	if s.closed {
		return errClosing
	}
	l.learn(s.shelf.listing.Tools)
	s.now = l
	return nil
}

// release gives the conversation back.
func (s *slot) release(l *live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.users--; l.users == 0 && l.retired {
		s.dispose(l)
	}
}

// renew gives up a conversation that the server no longer knows. Whoever comes later
// with the same one finds it done.
func (s *slot) renew(l *live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != l {
		return
	}
	s.now = nil
	s.shelf.old = true
	l.forget()
	s.retire(l)
	s.u.config.Log.Info("upstream session is renewed", "upstream", s.u.config.ID)
}

// retire lets no one use the conversation any more, and closes it once nobody does.
func (s *slot) retire(l *live) {
	l.retired = true
	if l.users == 0 {
		s.dispose(l)
	}
}

// closeWait bounds the end of one conversation.
const closeWait = 10 * time.Second

func (s *slot) dispose(l *live) {
	if s.closed {
		return // close does it
	}
	spawned := s.u.spawn(func() {
		ctx, cancel := context.WithTimeout(s.u.life, closeWait)
		defer cancel()
		s.closeLive(ctx, l)
	})
	if spawned {
		delete(s.lives, l)
	}
}

func (s *slot) closeLive(ctx context.Context, l *live) {
	if err := l.client.Close(ctx); err != nil {
		s.u.config.Log.Warn("upstream did not close in order", "upstream", s.u.config.ID, "error", s.text(err.Error()))
	}
}

// close ends the conversation, whoever uses it.
func (s *slot) close(ctx context.Context) {
	s.mu.Lock()
	s.closed, s.now = true, nil
	starting := s.starting
	s.mu.Unlock()
	if starting != nil {
		<-starting.done // for Upstream.Close the end of its life has cut it short
	}
	s.mu.Lock()
	lives := slices.Collect(maps.Keys(s.lives))
	clear(s.lives)
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, l := range lives {
		all.Go(func() { s.closeLive(ctx, l) })
	}
	all.Wait()
}
