package upstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

var errCrowded = errors.New("too many callers with credentials of their own are served already")

// pool holds the conversations of callers who have a credential of their own. They are
// found by its digest, so that the credential stands in one place only.
type pool struct {
	u *Upstream

	mu    sync.Mutex
	slots map[[sha256.Size]byte]*guest
}

// guest is the conversation of one caller.
type guest struct {
	*slot
	users int
	since time.Time   // when it was last left
	idle  *time.Timer // ends it; nil while it is used
}

func newPool(u *Upstream) *pool {
	return &pool{u: u, slots: map[[sha256.Size]byte]*guest{}}
}

// enter returns the caller's conversation, until leave is called.
func (p *pool) enter(c Credential) (*slot, func(), error) {
	key := sha256.Sum256([]byte(c))
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.slots[key]
	if g == nil {
		if !p.makeRoom() {
			return nil, nil, errCrowded
		}
		s, err := p.u.newSlot(c)
		if err != nil {
			return nil, nil, err
		}
		g = &guest{slot: s}
		p.slots[key] = g
	}
	g.users++
	if g.idle != nil {
		g.idle.Stop()
		g.idle = nil
	}
	return g.slot, func() { p.leave(key, g) }, nil
}

func (p *pool) leave(key [sha256.Size]byte, g *guest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.users--; g.users > 0 || p.slots[key] != g {
		return
	}
	g.since = p.u.config.Now()
	g.idle = time.AfterFunc(p.u.config.Idle, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if g.users == 0 && p.slots[key] == g {
			p.drop(key, g)
		}
	})
}

// makeRoom tells whether one more has a place, for which the one that was left longest
// ago goes.
func (p *pool) makeRoom() bool {
	if len(p.slots) < p.u.config.MaxSessions {
		return true
	}
	var oldest [sha256.Size]byte
	var found *guest
	for key, g := range p.slots {
		if g.users == 0 && (found == nil || g.since.Before(found.since)) {
			oldest, found = key, g
		}
	}
	if found == nil {
		return false
	}
	p.drop(oldest, found)
	return true
}

// drop ends a conversation that nobody uses. The caller holds the lock.
func (p *pool) drop(key [sha256.Size]byte, g *guest) {
	if p.u.spawn(func() { g.close(p.u.life) }) { // else close does it
		delete(p.slots, key)
	}
	if g.idle != nil {
		g.idle.Stop()
	}
}

func (p *pool) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.slots)
}

// close ends all. No one may enter any more.
func (p *pool) close(ctx context.Context) {
	p.mu.Lock()
	left := p.slots
	p.slots = map[[sha256.Size]byte]*guest{}
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, g := range left {
		if g.idle != nil {
			g.idle.Stop()
		}
		all.Go(func() { g.slot.close(ctx) })
	}
	all.Wait()
}
