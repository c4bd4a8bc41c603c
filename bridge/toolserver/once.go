package toolserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/store"
)

// keyLife is how long a key is remembered after its call.
const keyLife = 24 * time.Hour

// keyPoll is how often a call looks whether the first one with its key has ended.
const keyPoll = 20 * time.Millisecond

// kept is a result as the store of keys has it.
type kept struct {
	Outcome    Outcome         `json:"outcome"`
	Text       string          `json:"text"`
	Structured json.RawMessage `json:"structured,omitempty"`
	Class      Class           `json:"class,omitempty"` // of a failure
	Ran        errclass.Outcome
}

// once makes a call with a key, unless one was made before: then its result is given
// again. Another call in the meantime waits for the first. A key that was used with other
// arguments is a conflict, and a call that was never heard of again is not repeated.
func (s *Server) once(ctx context.Context, e *entry, c Call, about errclass.Call, run runner) Result {
	sum := sha256.Sum256(c.Arguments)
	k := claim{
		keys: s.keys, log: s.log, key: store.Key{Scope: c.Caller + "\x00" + s.name + "\x00" + e.Name, Name: c.Key},
		digest: hex.EncodeToString(sum[:]), owner: rand.Text(), about: about,
	}
	if res, ours := k.begin(ctx, s.lease(e)); !ours {
		return res
	}
	if res, ok := s.permit(ctx, e, c, about); !ok {
		k.abandon(ctx)
		return res
	}
	late := func(res Result) { k.finish(context.WithoutCancel(ctx), res) }
	res := s.execute(ctx, e, c, about, run, late)
	if res.Failure == nil || res.Failure.Context.Outcome != errclass.Unknown {
		k.finish(context.WithoutCancel(ctx), res)
	}
	return res
}

// lease is how long the first call with a key may take.
func (s *Server) lease(e *entry) time.Duration {
	const longest = time.Hour // of a tool without a bound
	switch {
	case e.Timeout < 0 || s.opts.Timeout < 0 && e.Timeout == 0:
		return longest
	case e.Timeout > 0:
		return s.opts.ConfirmTimeout + e.Timeout + time.Minute
	}
	return s.opts.ConfirmTimeout + s.opts.Timeout + time.Minute
}

// claim is the right to make the call of a key.
type claim struct {
	keys          store.Keys
	log           journal
	key           store.Key
	digest, owner string
	about         errclass.Call
}

// begin claims the key; where it is not ours, the result is what there is to say.
func (k claim) begin(ctx context.Context, lease time.Duration) (Result, bool) {
	ctx, stop := context.WithTimeout(ctx, lease)
	defer stop()
	for {
		rec, err := k.keys.Begin(ctx, k.key, k.digest, k.owner, lease, keyLife)
		switch {
		case err != nil:
			return denial(Denied, refused(Transient, k.about, "its idempotency key could not be looked up: %v", err)), false
		case rec.State == store.KeyBegun:
			return Result{}, true
		case rec.State == store.KeyDone:
			return k.again(rec.Result), false
		case rec.State == store.KeyConflict:
			return denial(Denied, refused(Conflict, k.about, "its idempotency key was used before with other arguments")), false
		case rec.State == store.KeyUnknown:
			f := errclass.New(TimedOut, errclass.Upstream, errclass.Unknown,
				"the first call with this idempotency key was never heard of again: it may have had its effect", errclass.Call{})
			return Result{Outcome: Failed, Text: f.Message, Failure: &f}, false
		}
		select {
		case <-time.After(keyPoll):
		case <-ctx.Done():
			return denial(Denied, refused(Conflict, k.about, "the first call with its idempotency key still runs")), false
		}
	}
}

// again gives a result that was kept.
func (k claim) again(raw []byte) Result {
	var was kept
	if err := json.Unmarshal(raw, &was); err != nil {
		return denial(Denied, refused(Conflict, k.about, "the result of the first call with its idempotency key cannot be read: %v", err))
	}
	res := Result{Outcome: was.Outcome, Text: was.Text, Structured: was.Structured, Replayed: true}
	if was.Class != "" {
		f := errclass.New(was.Class, errclass.Upstream, was.Ran, was.Text, k.about)
		res.Failure = &f
	}
	return res
}

// finish keeps what the call came to. Where that fails the key stays in flight, and then
// unknown: the call is not made twice.
func (k claim) finish(ctx context.Context, res Result) {
	was := kept{Outcome: res.Outcome, Text: res.Text, Structured: res.Structured}
	if res.Failure != nil {
		was.Class, was.Ran = res.Failure.Class, res.Failure.Context.Outcome
	}
	raw, err := json.Marshal(was)
	if err == nil {
		err = k.keys.Finish(ctx, k.key, k.owner, raw, keyLife)
	}
	k.log.failed(ctx, "idempotency key", err)
}

// abandon gives the key back: the call was not made.
func (k claim) abandon(ctx context.Context) {
	err := k.keys.Abandon(context.WithoutCancel(ctx), k.key, k.owner)
	k.log.failed(ctx, "idempotency key", err) // it is unknown in time, which is safe
}
