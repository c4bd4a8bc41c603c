package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/internal/errclass"
)

// How often a call is made at most, how long the wait before another attempt may be, and
// what it is where the server says nothing: up to twice as long each time.
const (
	maxAttempts = 3
	maxPause    = 15 * time.Second
	firstPause  = 200 * time.Millisecond
)

// attempt makes the call until it succeeds, or must not or need not be made again.
func (b *Backend) attempt(ctx context.Context, j *job) (json.RawMessage, error) {
	b.budget.earn()
	for {
		j.attempts++
		content, err := b.send(ctx, j)
		e, failed := errors.AsType[errclass.Error](err)
		if !failed || !j.mayRepeat(e) {
			return content, err
		}
		pause, ok := b.pause(ctx, j, e)
		if !ok || !b.budget.spend() {
			return content, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return content, err
		}
	}
}

// send hands the call to the server once.
func (b *Backend) send(ctx context.Context, j *job) (json.RawMessage, error) {
	traced := j.trace.Call("MCP", j.tool.Name, j.send)
	deadline, _ := ctx.Deadline()
	result, err := j.server.Call(ctx, j.cred, upstream.Call{
		Tool: j.tool.Name, Args: j.send, Known: j.known, Key: j.forwarded(), Timeout: time.Until(deadline),
	})
	if err != nil {
		e, _ := errors.AsType[errclass.Error](err)
		e = j.honest(e)
		traced(envelope(e))
		return nil, e
	}
	traced(result.Raw)
	if result.IsError {
		return nil, j.honest(errclass.FromIsError(result.Raw, shortSaid(failureText(result.Raw)), b.o.Now(), j.known))
	}
	return b.content(j, result.Raw), nil
}

func envelope(e errclass.Error) []byte {
	raw, _ := json.Marshal(e) // it always marshals
	return raw
}

// honest takes back the advice to come again from a call that may have been made: the key
// lets the bridge say so, and not the server make it once.
func (j *job) honest(e errclass.Error) errclass.Error {
	if e.Context.Outcome == errclass.Unknown && !j.harmless() {
		e.Retryable, e.SuggestedBackoff = false, 0
	}
	return e
}

// harmless tells whether the call may be made twice.
func (j *job) harmless() bool { return j.known.ReadOnly || j.known.Idempotent }

// mayRepeat tells whether the bridge may make the call again by itself: only what came
// nowhere near the server, or does no harm.
func (j *job) mayRepeat(e errclass.Error) bool {
	if j.noRetry || j.attempts >= maxAttempts || e.Class != errclass.Transient && e.Class != errclass.RateLimit {
		return false
	}
	if j.harmless() {
		return e.Retryable
	}
	return e.Context.Outcome == errclass.NotRun && e.Context.Source == errclass.Transport
}

// pause returns how long to wait before the next attempt, and whether that is worth it.
func (b *Backend) pause(ctx context.Context, j *job, e errclass.Error) (time.Duration, bool) {
	most := firstPause << j.attempts
	pause := rand.N(most) //nolint:gosec // only keeps many from coming again at once
	if !e.Context.ResetAt.IsZero() {
		pause = max(e.Context.ResetAt.Sub(b.o.Now()), 0) + pause/4
	}
	deadline, bounded := ctx.Deadline()
	return pause, pause <= maxPause && (!bounded || time.Until(deadline) > pause)
}

// budget bounds how many attempts are repeated: each call earns a part of one. A server in
// trouble is not given several times its load.
type budget struct {
	mu   sync.Mutex
	left float64
}

const (
	budgetMost = 50
	budgetEarn = 0.2
)

func newBudget() budget { return budget{left: budgetMost} }

func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = min(b.left+budgetEarn, budgetMost)
}

func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
