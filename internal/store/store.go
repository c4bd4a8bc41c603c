// Package store keeps what outlives a request: which conversation goes on in which
// context, what a call with an idempotency key came to, who holds a lease, and a secret
// that several processes share. One contract, which storetest holds every store to;
// the stores stand in packages below this one: memory, sqlite and mongo.
//
// A method returns when what it wrote will survive the end of the process, where the
// store survives at all. Every method may be called by several goroutines, and, but for
// memory, by several processes on one store at once.
//
// It imports nothing of this module.
package store

import (
	"context"
	"errors"
	"time"
)

// Store is all of it. Sessions, Keys, Leases and Secrets may be used apart.
type Store interface {
	Sessions
	Keys
	Leases
	Secrets
	// Name says what kind of store it is and where, without credentials.
	Name() string
	Close() error
}

// ErrUnreachable is wrapped when the server that keeps a store could not be reached.
var ErrUnreachable = errors.New("the store could not be reached")

// ErrNotHeld is wrapped when a lease or a key is not, or no longer, held by the owner.
var ErrNotHeld = errors.New("not held")

// ErrClosed is wrapped when the store was closed before.
var ErrClosed = errors.New("the store is closed")

// SessionKey names one conversation of a client with one agent.
type SessionKey struct {
	Agent        string // the agent's id in the configuration
	Conversation string // the client's own id of the conversation
}

// Turn is one question and its answer, as far as it can be told apart later.
type Turn struct {
	Agent, Conversation string
	Seq                 int64     // 1 for the first of a conversation, without gaps; set by RecordTurn
	At                  time.Time // when it ended: zero, or from 1678 to 2261; it is kept to the nanosecond, in UTC
	Context, Task       string    // as the agent named them; "" where it named none
	Message             string    // the client's id of the message; "" without one
	State               string    // how the task ended, in the words of A2A 1.0 without its prefix: completed, failed, …
}

// TurnFilter chooses turns. The zero value chooses all.
type TurnFilter struct {
	Agent, Conversation string    // "" means any
	Since, Until        time.Time // inclusive; zero means without bound
	Limit               int       // at most so many, the oldest; 0 means all
	Newest              bool      // Limit keeps the newest in place of the oldest, at no cost for those before
}

// Matches tells whether the filter chooses the turn, Limit and Newest aside.
func (f TurnFilter) Matches(t Turn) bool {
	return (f.Agent == "" || f.Agent == t.Agent) &&
		(f.Conversation == "" || f.Conversation == t.Conversation) &&
		(f.Since.IsZero() || !t.At.Before(f.Since)) &&
		(f.Until.IsZero() || !t.At.After(f.Until))
}

// Sessions map conversations to the contexts that agents minted.
type Sessions interface {
	// Context returns the context of the conversation, "" when it has none yet.
	Context(ctx context.Context, k SessionKey) (string, error)
	// PutContext keeps the context of the conversation in the place of any before.
	PutContext(ctx context.Context, k SessionKey, contextID string) error
	// RecordTurn appends a turn, whose Seq it gives out.
	RecordTurn(ctx context.Context, t Turn) error
	// Turns returns turns by their time, the oldest first, and those of one conversation
	// and time by their Seq.
	Turns(ctx context.Context, f TurnFilter) ([]Turn, error)
	// Prune forgets the turns that ended before that time, and the conversations that
	// nothing was kept of since, and returns how many of both there were. A conversation
	// that goes on keeps its context and goes on counting; one that was forgotten begins
	// anew.
	Prune(ctx context.Context, before time.Time) (int, error)
}

// Key names one call that is not to be made twice.
type Key struct {
	Scope string // whose key it is: the caller, the server and the tool, as one text
	Name  string // the key that the caller chose
}

// KeyState is what is known of a call with a key.
type KeyState string

// The states of a key, as Begin returns them.
const (
	KeyBegun    KeyState = "begun"     // it is the caller's: nobody made the call, and nobody else will
	KeyInFlight KeyState = "in flight" // another owner is making the call now
	KeyDone     KeyState = "done"      // the call was made: Result is what it came to
	KeyUnknown  KeyState = "unknown"   // whoever made the call was never heard of again
	KeyConflict KeyState = "conflict"  // the key was used for another call, see Digest
)

// KeyRecord is a key and the call that was made under it.
type KeyRecord struct {
	State  KeyState
	Digest string // of the arguments of the call that was made
	Result []byte // of a call that is done; the stores do not look into it
	At     time.Time
}

// Keys remember calls that are not to be made twice. A key is forgotten once its time to
// live is over, which begins anew with Finish.
type Keys interface {
	// Begin claims the key for a call with that digest, atomically. The owner has it for
	// the lease, and makes the call only when the state is KeyBegun.
	Begin(ctx context.Context, k Key, digest, owner string, lease, ttl time.Duration) (KeyRecord, error)
	// Extend prolongs the lease of a key that is in flight. It fails with ErrNotHeld.
	Extend(ctx context.Context, k Key, owner string, lease time.Duration) error
	// Finish stores what the call came to. It fails with ErrNotHeld when another owner
	// has the key, but takes a late result of the one whose lease is over.
	Finish(ctx context.Context, k Key, owner string, result []byte, ttl time.Duration) error
	// Abandon forgets a key whose call was not made after all. It fails with ErrNotHeld.
	Abandon(ctx context.Context, k Key, owner string) error
}

// Leases let one of several do something at a time.
type Leases interface {
	// Acquire takes the lease and tells whether it could: nobody has it, its time is over,
	// or the owner has it already.
	Acquire(ctx context.Context, name, owner string, d time.Duration) (bool, error)
	// Renew prolongs it. It fails with ErrNotHeld.
	Renew(ctx context.Context, name, owner string, d time.Duration) error
	// Release gives it back; one that is not held is left alone.
	Release(ctx context.Context, name, owner string) error
}

// Secrets are random values that all processes on one store share.
type Secrets interface {
	// Secret returns the secret of that name, 32 bytes, and makes it the first time.
	Secret(ctx context.Context, name string) ([]byte, error)
}
