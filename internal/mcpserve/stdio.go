package mcpserve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// lastWords is how long calls may still take once the client has closed its end.
const lastWords = 2 * time.Second

// ServeStdio serves one client over newline-delimited JSON, both eras at once,
// until r ends or the context does. It returns nil when r has ended. It does not
// close r: a reader that blocks keeps a goroutine until it returns.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
func (s *Server) ServeStdio(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out := wire.NewLineWriter(w)
	d := newDesk(ctx, s, s.stdio, func(raw []byte) { _ = out.Write(raw) }) // a client that does not read any more misses it
	defer d.close()
	ended := make(chan error, 1)
	go func() { ended <- d.readAll(wire.NewLineReader(r, limit)) }()
	select {
	case err := <-ended:
		d.finish(ctx)
		return err
	case <-ctx.Done():
		return fmt.Errorf("serving stdio: %w", context.Cause(ctx))
	}
}

// desk serves one client over a channel that carries everything: stdio, or the two
// endpoints of 2024-11-05.
type desk struct {
	server *Server
	judge  judge
	ctx    context.Context  //nolint:containedctx // the life of the conversation, that SDK sessions hang on
	say    func(raw []byte) // brings one message to the client
	calls  calls
	taken  sync.WaitGroup // the calls that wait

	mu       sync.Mutex
	revision string // of the legacy session; "" until initialize
	legacy   *pipe
	running  map[int]*pipe // by the number of the call, of 2026-07-28 only
	batches  map[int]*batch
}

func newDesk(ctx context.Context, s *Server, j judge, say func(raw []byte)) *desk {
	return &desk{server: s, judge: j, ctx: ctx, say: say, running: map[int]*pipe{}, batches: map[int]*batch{}}
}

func (d *desk) readAll(lines *wire.LineReader) error {
	for {
		line, err := lines.Next()
		var tooLong *wire.TooLongError
		switch {
		case errors.As(err, &tooLong):
			d.refuse(wire.ID{}, faultf(codeInvalidRequest, "invalid request: %v", err))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading from the client: %w", err)
		case len(bytes.TrimSpace(line.Content())) > 0:
			d.take(wire.Parse(line.Content()))
		}
	}
}

func (d *desk) refuse(id wire.ID, flt *fault) { d.say(flt.encode(id, d.speaks())) }

// speaks is the revision of the legacy session, or the modern one while there is
// none.
func (d *desk) speaks() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.revision == "" {
		return revModern
	}
	return d.revision
}

// take serves one line.
func (d *desk) take(m wire.Message) {
	switch {
	case m.Kind == wire.KindBatch && d.speaks() == rev2025a && len(m.Batch) > 0:
		d.takeBatch(m.Batch)
	case m.Kind == wire.KindRequest || m.Kind == wire.KindInvalid || m.Kind == wire.KindBatch:
		d.takeRequest(m)
	case checkEnvelope(m) == nil:
		d.takeSilent(m)
	}
}

func (d *desk) takeRequest(m wire.Message) {
	flt := d.check(m)
	if flt != nil {
		d.refuse(m.ID, flt)
		return
	}
	t, flt := d.calls.begin(m)
	if flt != nil {
		d.refuse(wire.ID{}, flt) // not in the name of the call that has the id
		return
	}
	d.taken.Add(1)
	d.forward(m, t)
}

// check judges a request by the era that it is of.
func (d *desk) check(m wire.Message) *fault {
	if flt := checkEnvelope(m); flt != nil {
		return flt
	}
	opened := d.speaks() != revModern
	switch {
	case m.Kind == wire.KindBatch:
		return faultf(codeInvalidRequest, "invalid request: only revision %s has batches", rev2025a)
	case d.judge.initialize(m) != nil:
		return d.judge.initialize(m)
	case isModern(m):
		return d.judge.modern(m)
	case m.Method == "initialize" && opened:
		return faultf(codeInvalidRequest, "invalid request: the session is open already")
	case opened || !d.judge.modernOnly && (m.Method == "initialize" || m.Method == "ping"):
		return d.judge.method(m, legacyEra)
	}
	if !d.judge.has(m.Method, modernEra) && !d.judge.has(m.Method, legacyEra) {
		return faultf(codeMethodNotFound, "method not found: %q", m.Method)
	}
	return faultf(codeInvalidParams, "invalid params: name the revision in _meta as %s, or open a session with initialize", metaVersion)
}

// takeSilent serves what has no answer.
func (d *desk) takeSilent(m wire.Message) {
	if m.Method == "notifications/cancelled" {
		if t, ok := d.calls.cancel(wire.Get(m.Params, "requestId")); ok {
			d.cancel(t)
		}
		return
	}
	if raw := message(m); raw != nil && d.session() != nil {
		d.session().send(raw)
	}
}

// cancel stops the call, which nobody hears of any more.
func (d *desk) cancel(t tag) {
	d.mu.Lock()
	p, modern := d.running[t.seq]
	delete(d.running, t.seq)
	d.mu.Unlock()
	d.taken.Done()
	if modern {
		_ = p.Close() // the SDK cancels what still runs
		d.calls.settle(t)
		return
	}
	d.session().send(cancelled(t))
}

// finish lets the calls that were taken come to their end; subscriptions have none.
func (d *desk) finish(ctx context.Context) {
	for _, t := range d.calls.all() {
		if t.method != "subscriptions/listen" {
			continue
		}
		if t, ok := d.calls.cancel([]byte(t.id.String())); ok {
			d.cancel(t)
		}
	}
	ctx, stop := context.WithTimeout(ctx, lastWords)
	defer stop()
	done := make(chan struct{})
	go func() { d.taken.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// close ends every conversation with the SDK.
func (d *desk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.running {
		_ = p.Close() // closing a pipe cannot fail
	}
	if d.legacy != nil {
		_ = d.legacy.Close()
	}
}
