package mcptools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/store"
)

// maxKey is how many bytes an idempotency key may have.
const maxKey = 512

// once makes a call with an idempotency key, unless it was made before: then its answer is
// given again. A call that was begun is made to its end even when the caller is gone, who
// will ask what came of it.
func (b *Backend) once(caller context.Context, j *job) (json.RawMessage, bool, error) {
	if len(j.key) > maxKey {
		return nil, false, refuse(errclass.InvalidArgs, "the idempotency key has %d bytes; at most %d are allowed", len(j.key), maxKey)
	}
	if strings.ContainsFunc(j.key, unicode.IsControl) {
		return nil, false, refuse(errclass.InvalidArgs, "the idempotency key has control characters; send printable ones")
	}
	claim, err := b.newClaim(j)
	if err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(caller), b.o.Timeout)
	defer cancel()
	record, err := b.wait(caller, ctx, claim)
	if err != nil {
		b.o.Log.Error("an idempotency key could not be claimed", "error", err)
		return nil, false, errclass.New(errclass.Transient, errclass.Bridge, errclass.NotRun,
			"the store of idempotency keys failed, so the call was not made", j.known)
	}
	switch record.State {
	case store.KeyBegun:
		return b.claimed(ctx, j, claim)
	case store.KeyDone:
		return restore(record.Result, j)
	case store.KeyConflict:
		return nil, false, openai.Failure{
			Cause: refuse(errclass.Conflict, "the idempotency key %q was used for a call of %s with other arguments", j.key, shortName(j.call.Name)),
			Code:  "idempotency_conflict",
		}
	case store.KeyInFlight:
		return nil, false, errclass.New(errclass.Conflict, errclass.Bridge, errclass.Unknown,
			fmt.Sprintf("the call with the idempotency key %q is still running; ask again with the same key for what comes of it", j.key), j.known)
	}
	if j.harmless() { // whoever made it is gone, and making it again changes nothing
		content, err := b.attempt(ctx, j)
		return content, false, err
	}
	return nil, false, j.unknown()
}

// unknown is the answer to a call of which nobody knows whether it was made.
func (j *job) unknown() errclass.Error {
	known := errclass.Call{ReadOnly: j.known.ReadOnly, Idempotent: j.known.Idempotent}
	return errclass.New(errclass.Timeout, errclass.Bridge, errclass.Unknown, fmt.Sprintf(
		"an earlier call of %s with the idempotency key %q was begun and its end was never heard of: it may have been executed. Look at the state of things before calling with a new key",
		shortName(j.call.Name), j.key), known)
}

// claim is one process's hold on a key.
type claim struct {
	key           store.Key
	digest, owner string
}

// claims counts the calls of a process, which name its claims.
type claims struct{ last atomic.Int64 }

// newClaim names the claim. The digest is of what the server gets, so that two spellings of
// one call are one. A key that was made of a header's has a name that no caller can write.
func (b *Backend) newClaim(j *job) (claim, error) {
	args, err := canonical(j.send)
	if err != nil {
		return claim{}, refuse(errclass.InvalidArgs, "the arguments of %s: %v", shortName(j.call.Name), err)
	}
	sum := sha256.Sum256(args)
	return claim{
		key:    store.Key{Scope: strings.Join([]string{j.caller, j.tool.Server, j.tool.Name}, "\x00"), Name: cmp.Or(j.kept, j.key)},
		digest: hex.EncodeToString(sum[:]),
		owner:  fmt.Sprintf("%s.%d", b.owner, b.claims.last.Add(1)),
	}, nil
}

// How often another's call is looked after.
const firstLook, lastLook = 5 * time.Millisecond, 250 * time.Millisecond

// wait claims the key, and where another has it waits for the end of his call, for as long
// as the call may take and the caller is there.
func (b *Backend) wait(caller, ctx context.Context, c claim) (store.KeyRecord, error) {
	for look := firstLook; ; look = min(2*look, lastLook) {
		record, err := b.o.Keys.Begin(ctx, c.key, c.digest, c.owner, b.o.Lease, b.o.KeyTTL)
		if err != nil || record.State != store.KeyInFlight {
			return record, err
		}
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return record, nil
		case <-caller.Done():
			return record, nil
		}
	}
}

// claimed makes the call under a lease, and stores what came of it.
func (b *Backend) claimed(ctx context.Context, j *job, c claim) (json.RawMessage, bool, error) {
	hold := b.hold(ctx, c)
	content, err := b.attempt(ctx, j)
	hold()
	if serr := b.settle(ctx, j, c, content, err); serr != nil {
		b.o.Log.Error("the result of a call with an idempotency key could not be stored", "tool", j.tool.Name, "error", serr)
		j.problems = append(j.problems, "the result could not be stored: another call with this key will be told that the outcome is unknown")
	}
	return content, false, err
}

// hold keeps the claim alive until the function that it returns is called.
func (b *Backend) hold(ctx context.Context, c claim) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(b.o.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := b.o.Keys.Extend(ctx, c.key, c.owner, b.o.Lease); err != nil && ctx.Err() == nil {
					b.o.Log.Warn("the claim on an idempotency key could not be prolonged", "error", err)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// settleTime bounds how long the end of a call may take to store.
const settleTime = 10 * time.Second

// settle stores what came to an end. What was not made, or may be made again, is forgotten,
// so that it can be; of what nobody knows it is kept that nobody knows.
func (b *Backend) settle(ctx context.Context, j *job, c claim, content json.RawMessage, failed error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	kept := record{Content: content, Problems: j.problems}
	if e, ok := errors.AsType[errclass.Error](failed); ok {
		unknown := e.Context.Outcome == errclass.Unknown
		if !unknown && !judged(e) || e.Retryable || unknown && j.harmless() {
			return b.o.Keys.Abandon(ctx, c.key, c.owner)
		}
		kept.Failure = &failure{e.Class, e.Message, e.Context, unknown}
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("writing the record: %w", err)
	}
	return b.o.Keys.Finish(ctx, c.key, c.owner, raw, b.o.KeyTTL)
}

// judged tells whether the server itself came to this failure with the call in its hands: it
// ran and failed, or was refused for what it is. Who could not be reached, had no time or
// wanted other credentials has judged nothing.
func judged(e errclass.Error) bool {
	switch e.Class {
	case errclass.InvalidArgs, errclass.NotFound, errclass.Conflict:
		return e.Context.Outcome == errclass.Failed || e.Context.Source == errclass.Upstream && e.Context.UpstreamCode < 0
	}
	return e.Context.Outcome == errclass.Failed
}

// record is what the store keeps of a call that is through.
type record struct {
	Content  []byte   `json:"content,omitempty"` // its bytes: written as JSON they would change
	Problems []string `json:"problems,omitempty"`
	Failure  *failure `json:"failure,omitempty"`
}

type failure struct {
	Class   errclass.Class   `json:"class"`
	Message string           `json:"message"`
	Context errclass.Context `json:"context"`
	Unknown bool             `json:"unknown,omitempty"` // nobody knows whether the call was made
}

// restore gives the answer of a call that is through.
func restore(raw []byte, j *job) (json.RawMessage, bool, error) {
	var kept record
	if err := json.Unmarshal(raw, &kept); err != nil {
		return nil, false, refuse(errclass.Conflict, "what was kept under the idempotency key %q cannot be read", j.key)
	}
	j.problems = kept.Problems
	switch f := kept.Failure; {
	case f == nil:
		return kept.Content, true, nil
	case f.Unknown:
		return nil, false, j.unknown()
	default:
		e := errclass.New(f.Class, f.Context.Source, f.Context.Outcome, f.Message, errclass.Call{})
		e.Context = f.Context
		return nil, true, e
	}
}

// forwarded is the key as the server gets it. Where callers share the bridge's credential
// the server cannot tell them apart, so that each has a name of its own in it.
func (j *job) forwarded() string {
	if j.key == "" || j.caller == "" || j.cred != "" {
		return j.key
	}
	sum := sha256.Sum256([]byte(j.caller))
	return hex.EncodeToString(sum[:6]) + "." + j.key
}
