package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/peerwright/peerwright/internal/store"
)

// claim is the document of a key. Its id is the digest of the key.
type claim struct {
	ID      string `bson:"_id"`
	Digest  []byte `bson:"digest"`
	Owner   string `bson:"owner"` // the digest of the owner
	Done    bool   `bson:"done"`
	Result  []byte `bson:"result,omitempty"`
	At      int64  `bson:"at"`
	Lease   int64  `bson:"lease"`
	Expires int64  `bson:"expires"`
}

func newClaim(k store.Key, c store.Claim) claim {
	return claim{
		ID: id(k.Scope, k.Name), Digest: []byte(c.Digest), Owner: id(c.Owner),
		At: store.Stamp(c.At), Lease: store.Stamp(c.Lease), Expires: store.Stamp(c.Expires),
	}
}

func (c claim) record(digest string, now time.Time) store.KeyRecord {
	return store.Claim{
		Digest: string(c.Digest), Done: c.Done, Result: c.Result, At: store.Time(c.At), Lease: store.Time(c.Lease),
	}.Record(digest, now)
}

// Begin implements store.Keys. Beside each key up to two that are over are deleted.
func (s *Store) Begin(ctx context.Context, k store.Key, digest, owner string, lease, ttl time.Duration) (r store.KeyRecord, err error) {
	err = s.do(ctx, "begin a key", func(ctx context.Context) error {
		if err := fits("the digest", len(digest)); err != nil {
			return err
		}
		if _, err := drop(ctx, s.keys, "expires", store.Stamp(s.now()), 2); err != nil {
			return err
		}
		for again := true; again && err == nil; {
			r, again, err = s.begin(ctx, k, digest, owner, lease, ttl)
		}
		return err
	})
	return r, err
}

// begin claims the key, or tells who did. It is to be called again when the key changed
// meanwhile, which others can do only so often: each time one of them got on.
func (s *Store) begin(ctx context.Context, k store.Key, digest, owner string, lease, ttl time.Duration) (r store.KeyRecord, again bool, err error) {
	now := s.now()
	mine := newClaim(k, store.NewClaim(digest, owner, now, lease, ttl))
	begun := store.KeyRecord{State: store.KeyBegun, Digest: digest, At: now}
	_, err = s.keys.InsertOne(ctx, mine)
	if err == nil {
		return begun, false, nil
	}
	if !driver.IsDuplicateKeyError(err) {
		return r, false, err
	}
	var there claim
	err = s.keys.FindOne(ctx, bson.D{equal("_id", mine.ID)}).Decode(&there)
	switch {
	case errors.Is(err, driver.ErrNoDocuments):
		return r, true, nil
	case err != nil:
		return r, false, err
	case store.Stamp(now) < there.Expires:
		return there.record(digest, now), false, nil
	}
	replaced, err := s.keys.ReplaceOne(ctx,
		bson.D{equal("_id", there.ID), equal("owner", there.Owner), equal("at", there.At), equal("expires", there.Expires)}, mine)
	if err != nil || replaced.MatchedCount == 0 {
		return r, err == nil, err
	}
	return begun, false, nil
}

// held is the filter for a key that the owner has and that is not done.
func held(k store.Key, owner string, now time.Time) bson.D {
	return bson.D{
		equal("_id", id(k.Scope, k.Name)), equal("owner", id(owner)), equal("done", false),
		compare("expires", "$gt", store.Stamp(now)),
	}
}

// matched fails with ErrNotHeld when an update found nothing.
func matched(r *driver.UpdateResult, err error) error {
	if err == nil && r.MatchedCount == 0 {
		return store.ErrNotHeld
	}
	return err
}

func set(fields ...bson.E) bson.E { return bson.E{Key: "$set", Value: bson.D(fields)} }

func raise(fields ...bson.E) bson.E { return bson.E{Key: "$max", Value: bson.D(fields)} }

// Extend implements store.Keys.
func (s *Store) Extend(ctx context.Context, k store.Key, owner string, lease time.Duration) error {
	return s.do(ctx, "extend a key", func(ctx context.Context) error {
		now := s.now()
		end := store.Stamp(now.Add(lease))
		return matched(s.keys.UpdateOne(ctx, held(k, owner, now), bson.D{set(equal("lease", end)), raise(equal("expires", end))}))
	})
}

// Finish implements store.Keys. A result that no document can hold is refused, and the
// key stays in flight.
func (s *Store) Finish(ctx context.Context, k store.Key, owner string, result []byte, ttl time.Duration) error {
	return s.do(ctx, "finish a key", func(ctx context.Context) error {
		if err := fits("the result", len(result)); err != nil {
			return err
		}
		now := s.now()
		return matched(s.keys.UpdateOne(ctx, held(k, owner, now), bson.D{set(
			equal("done", true), equal("result", result), equal("at", store.Stamp(now)), equal("expires", store.Stamp(now.Add(ttl))),
		)}))
	})
}

// Abandon implements store.Keys.
func (s *Store) Abandon(ctx context.Context, k store.Key, owner string) error {
	return s.do(ctx, "abandon a key", func(ctx context.Context) error {
		r, err := s.keys.DeleteOne(ctx, held(k, owner, s.now()))
		if err != nil {
			return err
		}
		if r.DeletedCount == 0 {
			return fmt.Errorf("nothing to abandon: %w", store.ErrNotHeld)
		}
		return nil
	})
}
