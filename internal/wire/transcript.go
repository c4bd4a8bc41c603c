package wire

import (
	"sync"
	"time"
)

// Transcript keeps the frames of one conversation in the order in which a tap saw
// them. Its See method is a Tap. A nil *Transcript keeps nothing.
type Transcript struct {
	mu     sync.Mutex
	start  time.Time
	now    func() time.Time
	frames []Frame
}

// NewTranscript begins a transcript at the time that now tells.
func NewTranscript(now func() time.Time) *Transcript {
	return &Transcript{start: now(), now: now}
}

// See stamps the frame and keeps it.
func (t *Transcript) See(f Frame) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f.Seq = len(t.frames) + 1
	f.At = t.now().Sub(t.start)
	t.frames = append(t.frames, f)
}

// Len returns how many frames were seen so far.
func (t *Transcript) Len() int {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.frames)
}

// Frames returns the frames seen since the first `from`.
func (t *Transcript) Frames(from int) []Frame {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if from >= len(t.frames) {
		return nil
	}
	return append([]Frame(nil), t.frames[from:]...)
}
