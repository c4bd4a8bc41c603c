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
	budget *Budget
	stderr int64 // what its stderr has cost
}

// maxStderr is how many bytes of a peer's stderr a transcript keeps, its first: no rule
// is about it, and a server may log without end.
const maxStderr = 1 << 20

// NewTranscript begins a transcript at the time that now tells.
func NewTranscript(now func() time.Time) *Transcript {
	return &Transcript{start: now(), now: now}
}

// Within makes the transcript keep no more than the budget allows. It is to be called
// before the first frame, and returns t.
func (t *Transcript) Within(b *Budget) *Transcript {
	t.budget = b
	return t
}

// See stamps the frame and keeps it.
func (t *Transcript) See(f Frame) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.affords(f) {
		return
	}
	f.Seq = len(t.frames) + 1
	f.At = t.now().Sub(t.start)
	t.frames = append(t.frames, f)
}

func (t *Transcript) affords(f Frame) bool {
	if f.Kind == FrameStderr {
		if t.stderr += cost(f); t.stderr > maxStderr {
			return false
		}
	}
	return t.budget.take(f)
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
