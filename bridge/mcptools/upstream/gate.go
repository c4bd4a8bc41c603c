package upstream

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

var (
	errBusy    = errors.New("too many calls are waiting for their turn")
	errClosing = errors.New("the bridge is closing")
)

// gate lets so many calls through at once, and the others in the order of their coming.
type gate struct {
	mu       sync.Mutex
	free     int
	inFlight int
	maxQueue int
	queue    list.List     // of chan struct{}, each closed when its turn has come
	closed   bool          // no one may enter any more
	empty    chan struct{} // closed once closed, with nobody inside or waiting
}

func newGate(size, queue int) *gate {
	return &gate{free: size, maxQueue: queue, empty: make(chan struct{})}
}

// enter waits for a turn; without an error leave must be called. The error is errBusy,
// errClosing, or why the context ended.
func (g *gate) enter(ctx context.Context) error {
	turn, err := g.ask()
	if turn == nil {
		return err
	}
	select {
	case <-turn.Value.(chan struct{}):
		return nil
	case <-ctx.Done():
		g.giveUp(turn)
		return context.Cause(ctx)
	}
}

// ask takes a turn, or else a place in the queue.
func (g *gate) ask() (*list.Element, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return nil, errClosing
	case g.free > 0:
		g.free--
		g.inFlight++
		return nil, nil
	case g.queue.Len() >= g.maxQueue:
		return nil, errBusy
	}
	return g.queue.PushBack(make(chan struct{})), nil
}

// giveUp leaves the queue, or passes on a turn that came together with the end.
func (g *gate) giveUp(turn *list.Element) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-turn.Value.(chan struct{}):
		g.next()
	default:
		g.queue.Remove(turn)
		g.settle()
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next()
}

// next gives the turn of one who leaves to the first in the queue.
func (g *gate) next() {
	if first := g.queue.Front(); first != nil {
		close(g.queue.Remove(first).(chan struct{}))
		return
	}
	g.free++
	g.inFlight--
	g.settle()
}

func (g *gate) settle() {
	if g.closed && g.inFlight == 0 && g.queue.Len() == 0 {
		select {
		case <-g.empty:
		default:
			close(g.empty)
		}
	}
}

// close lets nobody in any more, and waits until all have left or the context ends.
func (g *gate) close(ctx context.Context) error {
	g.mu.Lock()
	g.closed = true
	g.settle()
	g.mu.Unlock()
	select {
	case <-g.empty:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// count returns how many are inside, and how many wait.
func (g *gate) count() (inside, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inFlight, g.queue.Len()
}
