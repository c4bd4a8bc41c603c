package wire

import "sync/atomic"

// Budget bounds how many bytes the transcripts that share it keep together: a peer may
// send any amount. Once it is spent they keep nothing more, so that what they hold is
// whole up to one moment. A nil *Budget bounds nothing.
type Budget struct {
	left  atomic.Int64
	spent func()
}

// NewBudget returns a budget of so many bytes. spent is called once, in a goroutine of
// its own, when it is used up; it may be nil.
func NewBudget(bytes int64, spent func()) *Budget {
	b := &Budget{spent: spent}
	b.left.Store(bytes)
	return b
}

// Spent tells whether it is used up.
func (b *Budget) Spent() bool { return b != nil && b.left.Load() < 0 }

// take pays for a frame, and tells whether there was enough.
func (b *Budget) take(f Frame) bool {
	if b == nil {
		return true
	}
	price := cost(f)
	left := b.left.Add(-price)
	if left < 0 && left+price >= 0 && b.spent != nil {
		go b.spent()
	}
	return left >= 0
}

// frameCost is about what a frame costs besides its bytes.
const frameCost = 512

func cost(f Frame) int64 {
	n := frameCost + len(f.Data) + len(f.URL) + len(f.Note)
	if f.Event != nil {
		n += frameCost + len(f.Event.Data)
	}
	for name, values := range f.Header {
		for _, value := range values {
			n += len(name) + len(value)
		}
	}
	return int64(n)
}
