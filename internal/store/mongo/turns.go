package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/peerwright/peerwright/internal/store"
)

// turn is the document of a turn. Its id is that of its conversation and its Seq, so that
// no two have the same, and those of a conversation stand in their order.
type turn struct {
	ID           string `bson:"_id"`
	AgentID      string `bson:"agent_id"` // digests, to be found by
	NameID       string `bson:"name_id"`
	Agent        []byte `bson:"agent"`
	Conversation []byte `bson:"conversation"`
	Seq          int64  `bson:"seq"`
	At           int64  `bson:"at"`
	Context      []byte `bson:"context"`
	Task         []byte `bson:"task"`
	Message      []byte `bson:"message"`
	State        []byte `bson:"state"`
}

func newTurn(t store.Turn) turn {
	return turn{
		AgentID: id(t.Agent), NameID: id(t.Conversation), At: store.Stamp(t.At),
		Agent: []byte(t.Agent), Conversation: []byte(t.Conversation),
		Context: []byte(t.Context), Task: []byte(t.Task), Message: []byte(t.Message), State: []byte(t.State),
	}
}

func (t turn) size() int {
	return len(t.Agent) + len(t.Conversation) + len(t.Context) + len(t.Task) + len(t.Message) + len(t.State)
}

func (t turn) turn() store.Turn {
	return store.Turn{
		Agent: string(t.Agent), Conversation: string(t.Conversation), Seq: t.Seq, At: store.Time(t.At),
		Context: string(t.Context), Task: string(t.Task), Message: string(t.Message), State: string(t.State),
	}
}

func turnID(conversationID string, seq int64) string {
	return fmt.Sprintf("%s/%016x", conversationID, seq)
}

func splitTurnID(turnID string) (conversationID string, seq int64, err error) {
	conversationID, number, _ := strings.Cut(turnID, "/")
	seq, err = strconv.ParseInt(number, 16, 64)
	return conversationID, seq, err
}

// RecordTurn implements store.Sessions. The number of a turn is taken by inserting it: a
// counter would leave a gap behind each process that ends between the two.
func (s *Store) RecordTurn(ctx context.Context, t store.Turn) error {
	return s.do(ctx, "record a turn", func(ctx context.Context) error {
		if err := store.CheckTime(t.At); err != nil {
			return err
		}
		document := newTurn(t)
		if err := fits("the turn", document.size()); err != nil {
			return err
		}
		of := id(t.Agent, t.Conversation)
		c, err := s.use(ctx, of, max(document.At, store.Stamp(s.now())))
		if err != nil {
			return err
		}
		last, err := s.lastSeq(ctx, of)
		if err != nil {
			return err
		}
		for document.Seq = max(last, c.Pruned) + 1; ; document.Seq++ {
			document.ID = turnID(of, document.Seq)
			if _, err := s.turns.InsertOne(ctx, document); !driver.IsDuplicateKeyError(err) {
				return err
			}
		}
	})
}

// lastSeq returns the Seq of the last turn that is kept of a conversation, 0 without one.
func (s *Store) lastSeq(ctx context.Context, conversationID string) (int64, error) {
	var last turn
	err := s.turns.FindOne(ctx, ofConversation(conversationID),
		options.FindOne().SetSort(bson.D{{Key: "_id", Value: -1}}).SetProjection(bson.D{{Key: "seq", Value: 1}})).Decode(&last)
	if errors.Is(err, driver.ErrNoDocuments) {
		return 0, nil
	}
	return last.Seq, err
}

// ofConversation is the filter for the turns of a conversation, a range of ids.
func ofConversation(conversationID string) bson.D {
	return bson.D{compare("_id", "$gte", turnID(conversationID, 0)), compare("_id", "$lt", conversationID+"0")} // "0" follows "/"
}

// Turns implements store.Sessions.
func (s *Store) Turns(ctx context.Context, f store.TurnFilter) (turns []store.Turn, err error) {
	err = s.do(ctx, "read turns", func(ctx context.Context) error {
		turns = nil
		found, err := s.turns.Find(ctx, choose(f), order(f))
		if err != nil {
			return err
		}
		defer func() { _ = found.Close(ctx) }() // what it held is read
		for found.Next(ctx) {
			var t turn
			if err := found.Decode(&t); err != nil {
				return err
			}
			turns = append(turns, t.turn())
		}
		return found.Err()
	})
	if err != nil {
		return nil, err
	}
	if f.Newest {
		slices.Reverse(turns)
	}
	return turns, nil
}

func choose(f store.TurnFilter) bson.D {
	chosen := bson.D{{Key: "at", Value: bson.D{
		{Key: "$gte", Value: store.Stamp(f.Since)}, {Key: "$lte", Value: store.StampUntil(f.Until)},
	}}}
	if f.Agent != "" {
		chosen = append(chosen, equal("agent_id", id(f.Agent)))
	}
	if f.Conversation != "" {
		chosen = append(chosen, equal("name_id", id(f.Conversation)))
	}
	return chosen
}

func order(f store.TurnFilter) *options.FindOptionsBuilder {
	direction := 1
	if f.Newest {
		direction = -1
	}
	o := options.Find().SetSort(bson.D{{Key: "at", Value: direction}, {Key: "seq", Value: direction}})
	if f.Limit > 0 {
		o.SetLimit(int64(f.Limit))
	}
	return o
}
