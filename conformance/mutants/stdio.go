package mutants

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/peerwright/peerwright/internal/wire"
)

// Serve is an in-process peer on a stream.
type Serve func(ctx context.Context, r io.Reader, w io.Writer) error

// between puts hear and swap between an in-process peer and its client.
func between(next Serve, hear Hear, swap Swap) Serve {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		out := wire.NewLineWriter(w)
		asked := &requests{byID: map[string]wire.Message{}}
		fromPeer, toClient := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- copySwapped(fromPeer, out, asked, swap) }()
		err := next(ctx, listen(r, out, asked, hear), toClient)
		_ = toClient.Close() // a pipe closes
		return errors.Join(err, <-done)
	}
}

// perConnection is between with a hear and a swap of its own for each connection.
func perConnection(begin func() (Hear, Swap)) func(Serve) Serve {
	return func(next Serve) Serve {
		return func(ctx context.Context, r io.Reader, w io.Writer) error {
			hear, swap := begin()
			return between(next, hear, swap)(ctx, r, w)
		}
	}
}

func copySwapped(from io.Reader, to *wire.LineWriter, asked *requests, swap Swap) error {
	lines := wire.NewLineReader(from, 0)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		m := wire.Parse(line.Content())
		for _, raw := range swap.swaps(asked.of(m), m) {
			if err := to.Write(raw); err != nil {
				return err
			}
		}
	}
}

// listen passes the client's lines on as they are heard, and remembers the requests
// among them.
func listen(r io.Reader, out *wire.LineWriter, asked *requests, hear Hear) io.Reader {
	heard, in := io.Pipe()
	go func() {
		lines, to := wire.NewLineReader(r, 0), wire.NewLineWriter(in)
		for {
			line, err := lines.Next()
			if err != nil {
				in.CloseWithError(err)
				return
			}
			m := wire.Parse(line.Content())
			asked.note(m)
			told, answer := hear.hears(m)
			if answer != nil {
				_ = out.Write(answer) // a client that is gone needs no answer
			}
			if told != nil && to.Write(told) != nil {
				return
			}
		}
	}()
	return heard
}

// requests remembers what the client asked, by id.
type requests struct {
	mu   sync.Mutex
	byID map[string]wire.Message
}

func (q *requests) of(m wire.Message) wire.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.byID[m.ID.String()]
}

func (q *requests) note(m wire.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.Kind == wire.KindRequest {
		q.byID[m.ID.String()] = m
	}
}
