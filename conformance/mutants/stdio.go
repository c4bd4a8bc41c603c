package mutants

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/peerwright/peerwright/internal/wire"
)

// serveFunc is an in-process peer on a stream.
type serveFunc func(ctx context.Context, r io.Reader, w io.Writer) error

// swappedStream puts swap between an in-process peer and its client.
func swappedStream(serve serveFunc, swap Swap) serveFunc {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		asked := &requests{byID: map[string]wire.Message{}}
		fromPeer, toClient := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- copySwapped(fromPeer, w, asked, swap) }()
		err := serve(ctx, asked.tee(r), toClient)
		_ = toClient.Close() // a pipe closes
		return errors.Join(err, <-done)
	}
}

func copySwapped(from io.Reader, to io.Writer, asked *requests, swap Swap) error {
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
		for _, raw := range swap(asked.of(m), m) {
			if _, err := to.Write(append(raw, '\n')); err != nil {
				return err
			}
		}
	}
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

// tee passes the client's lines on, and remembers the requests among them.
func (q *requests) tee(r io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		lines := wire.NewLineReader(r, 0)
		for {
			line, err := lines.Next()
			if err != nil {
				in.CloseWithError(err)
				return
			}
			q.note(wire.Parse(line.Content()))
			if _, err := in.Write(line.Raw); err != nil {
				return
			}
		}
	}()
	return out
}

func (q *requests) note(m wire.Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.Kind == wire.KindRequest {
		q.byID[m.ID.String()] = m
	}
}
