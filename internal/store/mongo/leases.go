package mongo

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/peerwright/peerwright/internal/store"
)

// Acquire implements store.Leases. Beside each lease up to two that are over are deleted.
func (s *Store) Acquire(ctx context.Context, name, owner string, d time.Duration) (got bool, err error) {
	err = s.do(ctx, "acquire a lease", func(ctx context.Context) error {
		now := s.now()
		if _, err := drop(ctx, s.leases, "until", store.Stamp(now), 2); err != nil {
			return err
		}
		until := equal("until", store.Stamp(now.Add(d)))
		mine := bson.D{equal("_id", id(name)), equal("owner", id(owner)), until}
		_, err := s.leases.InsertOne(ctx, mine)
		if driver.IsDuplicateKeyError(err) {
			free := bson.A{bson.D{equal("owner", id(owner))}, bson.D{compare("until", "$lte", store.Stamp(now))}}
			err = matched(s.leases.UpdateOne(ctx, bson.D{equal("_id", id(name)), equal("$or", free)}, bson.D{set(mine[1:]...)}))
		}
		got = err == nil
		if errors.Is(err, store.ErrNotHeld) {
			return nil
		}
		return err
	})
	return got, err
}

// Renew implements store.Leases.
func (s *Store) Renew(ctx context.Context, name, owner string, d time.Duration) error {
	return s.do(ctx, "renew a lease", func(ctx context.Context) error {
		now := s.now()
		mine := bson.D{equal("_id", id(name)), equal("owner", id(owner)), compare("until", "$gt", store.Stamp(now))}
		return matched(s.leases.UpdateOne(ctx, mine, bson.D{set(equal("until", store.Stamp(now.Add(d))))}))
	})
}

// Release implements store.Leases.
func (s *Store) Release(ctx context.Context, name, owner string) error {
	return s.do(ctx, "release a lease", func(ctx context.Context) error {
		_, err := s.leases.DeleteOne(ctx, bson.D{equal("_id", id(name)), equal("owner", id(owner))})
		return err
	})
}

// Secret implements store.Secrets.
func (s *Store) Secret(ctx context.Context, name string) (secret []byte, err error) {
	err = s.do(ctx, "secret", func(ctx context.Context) error {
		var found struct {
			Value []byte `bson:"value"`
		}
		read := func() error { return s.shared.FindOne(ctx, bson.D{equal("_id", id(name))}).Decode(&found) }
		err := read()
		if errors.Is(err, driver.ErrNoDocuments) {
			_, err = s.shared.InsertOne(ctx, bson.D{equal("_id", id(name)), equal("value", randomKey())})
			if err == nil || driver.IsDuplicateKeyError(err) {
				err = read()
			}
		}
		secret = found.Value
		return err
	})
	return secret, err
}
