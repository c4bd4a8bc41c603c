package http1

import (
	"sync"
	"time"
)

// How many connections to one address wait for another request, and how long.
const (
	maxIdle = 1024
	maxWait = 90 * time.Second
)

// pool keeps the connections that wait. The zero value is ready to use.
type pool struct {
	mu    sync.Mutex
	idle  map[string][]*conn // by address; the one that was left last is last
	timer *time.Timer        // closes those that waited too long; nil while none wait
	over  bool               // nobody has asked for one since all were closed
}

// get takes the connection that was left last, and that the peer has not closed since;
// nil when there is none.
func (p *pool) get(address string) *conn {
	for {
		k := p.take(address)
		if k == nil || k.alive() {
			return k
		}
		_ = k.Close()
	}
}

func (p *pool) take(address string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = false
	list := p.idle[address]
	if len(list) == 0 {
		return nil
	}
	k := list[len(list)-1]
	list[len(list)-1] = nil
	p.idle[address] = list[:len(list)-1]
	k.reused = true
	return k
}

// put has the connection wait.
func (p *pool) put(k *conn) {
	k.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[k.address]
	if len(list) >= maxIdle || k.raw == nil || p.over {
		_ = k.Close()
		return
	}
	if p.idle == nil {
		p.idle = map[string][]*conn{}
	}
	p.idle[k.address] = append(list, k)
	if p.timer == nil {
		p.timer = time.AfterFunc(maxWait, p.reap)
	}
}

// reap closes the connections that waited too long.
func (p *pool) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = nil
	limit := time.Now().Add(-maxWait)
	for address, list := range p.idle {
		fresh := 0
		for fresh < len(list) && !list[fresh].since.After(limit) {
			_ = list[fresh].Close()
			fresh++
		}
		if fresh == len(list) {
			delete(p.idle, address)
			continue
		}
		p.idle[address] = append([]*conn(nil), list[fresh:]...)
	}
	if len(p.idle) > 0 {
		p.timer = time.AfterFunc(maxWait/2, p.reap)
	}
}

func (p *pool) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	for _, list := range p.idle {
		for _, k := range list {
			_ = k.Close()
		}
	}
	clear(p.idle)
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}
