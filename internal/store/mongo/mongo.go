// Package mongo is a store in a MongoDB database, which several processes may share.
//
// It stands on nothing but atomic changes of one document: unique ids and guarded updates,
// no transactions, no TTL indexes. So it runs on a single server, on a replica set and on
// what speaks the protocol. Names and texts of others are kept as binary, and documents
// are found by digests of them.
//
// It imports of this module package store and redact.
package mongo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/store"
)

// prefix begins the names of our collections.
const prefix = "peerwright_"

// Store is an open store.
type Store struct {
	now      func() time.Time
	client   *driver.Client
	name     string
	patience time.Duration // how long a call may take at most
	secrets  *redact.Redactor

	conversations, turns, keys, leases, shared *driver.Collection

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
}

var _ store.Store = (*Store)(nil)

// Open connects to the server that a mongodb:// or mongodb+srv:// URL names, and makes the
// indexes where they are not there. The path of the URL is the database, "peerwright"
// without one. A call of the store takes at most 10 s, or timeoutMS of the URL, whatever
// the server does; once it is back the store goes on.
//
// What was written is acknowledged by a majority of the servers unless the URL says
// otherwise (w), and is read from the primary.
//
// https://www.mongodb.com/docs/manual/reference/connection-string/
func Open(ctx context.Context, url string, now func() time.Time) (*Store, error) {
	a, err := parse(ctx, url)
	if err != nil {
		return nil, err
	}
	client, err := driver.Connect(a.options)
	if err != nil {
		return nil, a.clean("open "+a.name(), err)
	}
	s := &Store{now: now, client: client, name: a.name(), patience: a.patience, secrets: a.secrets}
	s.collections(client.Database(a.database))
	if err := s.do(ctx, "open "+s.name, s.prepare); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", store.ErrUnreachable, err), s.Close())
	}
	return s, nil
}

func (s *Store) collections(db *driver.Database) {
	s.conversations, s.turns = db.Collection(prefix+"conversations"), db.Collection(prefix+"turns")
	s.keys, s.leases, s.shared = db.Collection(prefix+"keys"), db.Collection(prefix+"leases"), db.Collection(prefix+"secrets")
}

// prepare reaches the server and makes the indexes. That an id is unique needs none.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.client.Ping(ctx, nil); err != nil {
		return err
	}
	for _, i := range []struct {
		of     *driver.Collection
		fields []string
	}{
		{s.conversations, []string{"used"}},
		{s.turns, []string{"at", "seq"}},
		{s.turns, []string{"agent_id", "at", "seq"}},
		{s.turns, []string{"name_id", "at", "seq"}},
		{s.keys, []string{"expires"}},
		{s.leases, []string{"until"}},
	} {
		var keys bson.D
		for _, f := range i.fields {
			keys = append(keys, bson.E{Key: f, Value: 1})
		}
		if _, err := i.of.Indexes().CreateOne(ctx, driver.IndexModel{Keys: keys}); err != nil {
			return fmt.Errorf("make the index %v of %s: %w", i.fields, i.of.Name(), err)
		}
	}
	return nil
}

// Name returns "mongodb", the hosts and the database.
func (s *Store) Name() string { return s.name }

// Close waits for the calls in flight, refuses others, and gives the connections back.
// It may be called again.
func (s *Store) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	s.calls.Wait()
	if closed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	return s.wrap("close", s.client.Disconnect(ctx))
}

// do makes a call of the store, and says what was being done when it fails.
func (s *Store) do(ctx context.Context, doing string, call func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return s.wrap(doing, err)
	}
	defer s.calls.Done()
	return s.wrap(doing, call(ctx))
}

// enter counts a call in, unless the context or the store has ended.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.calls.Add(1)
	return nil
}

func (s *Store) wrap(doing string, err error) error {
	return address{secrets: s.secrets}.clean(doing, err)
}
