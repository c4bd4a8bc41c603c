package store

import "time"

// Claim is what a store keeps of a key: who makes the call, until when, and what came of it.
type Claim struct {
	Digest, Owner string
	Done          bool
	Result        []byte
	At            time.Time // when it was begun or done
	Lease         time.Time // the end of the owner's lease
	Expires       time.Time // when it is forgotten
}

// NewClaim returns the claim of a call that begins now. A key is not forgotten within its lease.
func NewClaim(digest, owner string, now time.Time, lease, ttl time.Duration) Claim {
	return Claim{Digest: digest, Owner: owner, At: now, Lease: now.Add(lease), Expires: now.Add(max(lease, ttl))}
}

// Record returns what Begin tells another call that finds this claim.
func (c Claim) Record(digest string, now time.Time) KeyRecord {
	r := KeyRecord{State: KeyInFlight, Digest: c.Digest, At: c.At}
	switch {
	case c.Digest != digest:
		r.State = KeyConflict
	case c.Done:
		r.State, r.Result = KeyDone, c.Result
	case !now.Before(c.Lease):
		r.State = KeyUnknown
	}
	return r
}
