package recorder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/wire"
)

// Options say how to record. The zero value is ready to use.
type Options struct {
	// Secrets are values to take out wherever they occur, besides what is known to be
	// a secret by its name, place or shape: the credentials that the user passed in.
	Secrets []string
	// Memory bounds, in bytes, what waits to be written; 0 means DefaultMemory. When
	// the disk does not keep up, frames lose their bytes, which the fixture says.
	Memory int
	// Failed is told once that the fixture can no longer be written. The traffic goes
	// on. It may be nil: Close returns the error too.
	Failed func(error)
	Now    func() time.Time // nil means time.Now
	Random io.Reader        // of the key of the redactions; nil means crypto/rand
}

// DefaultMemory is what may wait to be written when Options.Memory is 0: 16 MiB. The
// process takes about three times as much while the queue is full.
const DefaultMemory = 16 << 20

// Recorder writes the frames of one conversation into a fixture. Its methods may be
// called by several goroutines at once.
type Recorder struct {
	out    *fixtures.Writer
	scrub  *fixtures.Scrubber
	failed func(error)
	now    func() time.Time
	start  time.Time
	memory int
	done   chan struct{} // closed when everything is written
	err    error         // of the disk; to be read after done
	close  sync.Once

	mu     sync.Mutex
	wake   sync.Cond
	queue  []wire.Frame
	held   int // bytes in the queue, or being written
	lost   int
	closed bool
}

// New begins to record into out, which the Recorder closes. It fails when there is
// no randomness for the key of the redactions.
func New(out *fixtures.Writer, o Options) (*Recorder, error) {
	random, now := o.Random, o.Now
	if random == nil {
		random = rand.Reader
	}
	if now == nil {
		now = time.Now
	}
	key := make([]byte, 32)
	if _, err := io.ReadFull(random, key); err != nil {
		return nil, fmt.Errorf("making a key for the redactions: %w", err)
	}
	r := &Recorder{
		out: out, scrub: fixtures.NewScrubber(redact.New(key).Known(o.Secrets...)), failed: o.Failed,
		now: now, start: now(), memory: o.Memory, done: make(chan struct{}),
	}
	if r.memory <= 0 {
		r.memory = DefaultMemory
	}
	r.wake.L = &r.mu
	go r.write()
	return r, nil
}

// Tap returns the tap by which the recorder sees frames. It never waits. Frames
// that come after Close are not recorded.
func (r *Recorder) Tap() wire.Tap { return r.see }

// overhead is about what a frame costs besides its bytes.
const overhead = 512

func (r *Recorder) see(f wire.Frame) {
	at := r.now().Sub(r.start)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch room := r.memory - r.held; {
	case r.closed || room < -r.memory: // not even a trace of it
		r.lost++
		return
	case room < len(f.Data) && r.held > 0: // one frame alone may be of any size
		r.lost++
		f.Note = fmt.Sprintf("%d bytes were not recorded: the disk does not keep up", len(f.Data))
		f.Data, f.Event = nil, nil
	}
	f.At = at
	r.held += cost(f)
	r.queue = append(r.queue, f)
	r.wake.Signal()
}

// Close writes what waits, and the end of the fixture, and returns when all of it is
// on the disk. Its error says what of the fixture could not be written.
func (r *Recorder) Close() error {
	r.close.Do(func() {
		r.mu.Lock()
		r.closed = true
		r.wake.Signal()
		r.mu.Unlock()
		<-r.done
		if r.err == nil {
			r.err = r.finish()
		}
		r.err = errors.Join(r.err, r.out.Close())
	})
	return r.err
}

// Lost returns how many frames were not recorded so far, or not whole, because the disk
// did not keep up.
func (r *Recorder) Lost() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

func (r *Recorder) finish() error {
	if err := r.out.Write(r.scrub.Flush()...); err != nil {
		return err
	}
	lost := r.Lost()
	end := fixtures.End{Lost: lost + r.scrub.Withheld(), Redactions: r.scrub.Counts()}
	if lost > 0 {
		end.Notes = append(end.Notes, fmt.Sprintf("%d frames were not recorded, or not whole", lost))
	}
	return r.out.End(end)
}

// write takes frames to the disk until the recorder is closed.
func (r *Recorder) write() {
	defer close(r.done)
	for {
		frames, more := r.take()
		for len(frames) > 0 {
			n := portion(frames)
			r.put(frames[:n])
			frames = frames[n:]
		}
		if !more {
			return
		}
	}
}

// take returns what waits, waiting for something; more is false at the end.
func (r *Recorder) take() (frames []wire.Frame, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.queue) == 0 && !r.closed {
		r.wake.Wait()
	}
	frames, r.queue = r.queue, nil
	return frames, len(frames) > 0
}

// portion is how many of the frames are written in one go: one at least, and others
// as far as they are small.
func portion(frames []wire.Frame) int {
	n, size := 1, cost(frames[0])
	for n < len(frames) && size < 256<<10 {
		size += cost(frames[n])
		n++
	}
	return n
}

func cost(f wire.Frame) int { return len(f.Data) + overhead }

func (r *Recorder) put(frames []wire.Frame) {
	var kept []wire.Frame
	freed := 0
	for _, f := range frames {
		freed += cost(f)
		if r.err == nil {
			kept = append(kept, r.scrub.Frame(f)...)
		}
	}
	if r.err == nil {
		r.err = r.out.Write(kept...)
		if r.err != nil && r.failed != nil {
			r.failed(r.err)
		}
	}
	r.mu.Lock()
	r.held -= freed
	r.mu.Unlock()
}
