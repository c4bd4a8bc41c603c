package stdio

import (
	"fmt"
	"slices"
	"sync"

	"github.com/peerwright/peerwright/internal/wire"
)

// teeLimit is how many bytes may wait for a slow tap.
const teeLimit = 32 << 20

// lane is one of the three byte streams that pass.
type lane int

const (
	fromClient lane = iota
	fromServer
	fromStderr
	lanes
)

// tee hands copies of the bytes that pass to a tap, in a goroutine of its own, so
// that the tap never holds them up. When more than teeLimit bytes wait, further ones
// are left out of what the tap sees, and a chunk frame says how many: a gap in a
// recording is better than a stalled call, and than memory without bound.
type tee struct {
	mu      sync.Mutex
	waiting []piece
	held    int        // bytes in waiting
	lost    [lanes]int // bytes left out since the last piece of the lane
	over    bool       // nothing more is taken
	wake    chan struct{}
	done    chan struct{}
}

// piece is some bytes of a lane, what was left out before them, or the lane's end.
type piece struct {
	lane lane
	data []byte
	lost int
	end  bool
	note string
}

func newTee(tap wire.Tap) *tee {
	t := &tee{wake: make(chan struct{}, 1), done: make(chan struct{})}
	go t.run(tap)
	return t
}

// pass copies p for the tap.
func (t *tee) pass(l lane, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
	case t.held+len(p) > teeLimit:
		t.lost[l] += len(p)
	default:
		t.held += len(p)
		t.put(piece{lane: l, data: slices.Clone(p)})
	}
}

// end tells that the lane carries nothing more, and how it ended.
func (t *tee) end(l lane, note string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.put(piece{lane: l, end: true, note: note})
	}
}

// close lets the tap have what waits; done tells when it has.
func (t *tee) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.signal()
}

func (t *tee) put(p piece) {
	p.lost, t.lost[p.lane] = t.lost[p.lane], 0
	t.waiting = append(t.waiting, p)
	t.signal()
}

func (t *tee) signal() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *tee) run(tap wire.Tap) {
	defer close(t.done)
	splitters := [lanes]splitter{
		fromClient: {tap: tap, dir: wire.Out, kind: wire.FrameMessage},
		fromServer: {tap: tap, dir: wire.In, kind: wire.FrameMessage},
		fromStderr: {tap: tap, dir: wire.In, kind: wire.FrameStderr},
	}
	for range t.wake {
		for p, ok := t.next(); ok; p, ok = t.next() {
			splitters[p.lane].take(p)
			t.release(p)
		}
		if t.finished() {
			return
		}
	}
}

func (t *tee) next() (piece, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		return piece{}, false
	}
	p := t.waiting[0]
	t.waiting[0] = piece{} // its bytes are the tap's now
	t.waiting = t.waiting[1:]
	return p, true
}

// release gives back the room of a piece that the tap has dealt with.
func (t *tee) release(p piece) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held -= len(p.data)
}

func (t *tee) finished() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over && len(t.waiting) == 0
}

// leftOut is what the tap is told in place of the bytes it was too slow for.
func leftOut(n int) string {
	return fmt.Sprintf("%d bytes were left out here: the recorder was too slow for them", n)
}
