package mongo

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/peerwright/peerwright/internal/store"
)

// conversation is the document of a conversation. Its id is the digest of its key.
type conversation struct {
	Context []byte `bson:"context"`
	Used    int64  `bson:"used"`   // when something was kept of it last; no turn of it is later
	Pruned  int64  `bson:"pruned"` // the Seq of the last turn that was pruned
}

// Context implements store.Sessions.
func (s *Store) Context(ctx context.Context, k store.SessionKey) (contextID string, err error) {
	err = s.do(ctx, "read a context", func(ctx context.Context) error {
		var c conversation
		err := s.conversations.FindOne(ctx, bson.D{equal("_id", id(k.Agent, k.Conversation))}).Decode(&c)
		if errors.Is(err, driver.ErrNoDocuments) {
			return nil
		}
		contextID = string(c.Context)
		return err
	})
	return contextID, err
}

// PutContext implements store.Sessions.
func (s *Store) PutContext(ctx context.Context, k store.SessionKey, contextID string) error {
	return s.do(ctx, "put a context", func(ctx context.Context) error {
		if err := fits("the context", len(contextID)); err != nil {
			return err
		}
		_, err := s.use(ctx, id(k.Agent, k.Conversation), store.Stamp(s.now()), set(equal("context", []byte(contextID))))
		return err
	})
}

// use changes a conversation, makes it when it is not there, and notes when it was used.
func (s *Store) use(ctx context.Context, conversationID string, used int64, changes ...bson.E) (c conversation, err error) {
	change := append(bson.D{raise(equal("used", used))}, changes...)
	o := options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)
	for {
		err = s.conversations.FindOneAndUpdate(ctx, bson.D{equal("_id", conversationID)}, change, o).Decode(&c)
		if !driver.IsDuplicateKeyError(err) { // another made it at the same time: now it is there
			return c, err
		}
	}
}

// pruned is how many documents are deleted at a time.
const pruned = 100

// Prune implements store.Sessions. Conversations note what is taken of them first, so
// that they go on counting.
func (s *Store) Prune(ctx context.Context, before time.Time) (total int, err error) {
	last := store.Stamp(before) - 1
	for _, drop := range []func(context.Context) (int, error){
		func(ctx context.Context) (int, error) { return s.pruneTurns(ctx, last) },
		func(ctx context.Context) (int, error) { return drop(ctx, s.conversations, "used", last, pruned) },
	} {
		for n := -1; n != 0; total += n {
			err := s.do(ctx, "prune", func(ctx context.Context) (err error) { n, err = drop(ctx); return err })
			if err != nil {
				return total, err
			}
		}
	}
	return total, nil
}

func (s *Store) pruneTurns(ctx context.Context, last int64) (int, error) {
	over, err := ids(ctx, s.turns, "at", last, pruned)
	if err != nil || len(over) == 0 {
		return 0, err
	}
	highest := map[string]int64{}
	for _, turnID := range over {
		of, seq, err := splitTurnID(turnID)
		if err != nil {
			return 0, err
		}
		highest[of] = max(highest[of], seq)
	}
	var notes []driver.WriteModel
	for of, seq := range highest {
		notes = append(notes, driver.NewUpdateOneModel().
			SetFilter(bson.D{equal("_id", of)}).SetUpdate(bson.D{raise(equal("pruned", seq))}))
	}
	if _, err := s.conversations.BulkWrite(ctx, notes, options.BulkWrite().SetOrdered(false)); err != nil {
		return 0, err
	}
	r, err := s.turns.DeleteMany(ctx, bson.D{compare("_id", "$in", over)})
	if err != nil {
		return 0, err
	}
	return int(r.DeletedCount), nil
}
