package mongo

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// maxDocument is what a document may hold of the texts of others. MongoDB's limit is
// 16 MiB, https://www.mongodb.com/docs/manual/reference/limits/.
const maxDocument = 16<<20 - 64<<10

// fits refuses before it is sent what no document can hold.
func fits(what string, size int) error {
	if size > maxDocument {
		return fmt.Errorf("%s has %d bytes, and MongoDB keeps at most %d in a document: larger ones need the SQLite store", what, size, maxDocument)
	}
	return nil
}

// id returns the digest of names, whatever bytes they have, by which a document is found.
func id(names ...string) string {
	h := sha256.New()
	for _, name := range names {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(name))))
		h.Write([]byte(name))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// equal and compare are filters.
func equal(field string, value any) bson.E { return bson.E{Key: field, Value: value} }

func compare(field, operator string, value any) bson.E {
	return bson.E{Key: field, Value: bson.D{{Key: operator, Value: value}}}
}

// ids returns the ids of up to n documents with a time before or at the bound, those of
// the earliest first.
func ids(ctx context.Context, c *driver.Collection, field string, bound int64, n int64) ([]string, error) {
	found, err := c.Find(ctx, bson.D{compare(field, "$lte", bound)},
		options.Find().SetSort(bson.D{{Key: field, Value: 1}}).SetLimit(n).SetProjection(bson.D{{Key: "_id", Value: 1}}))
	if err != nil {
		return nil, err
	}
	var documents []struct {
		ID string `bson:"_id"`
	}
	if err := found.All(ctx, &documents); err != nil {
		return nil, err
	}
	all := make([]string, len(documents))
	for i, d := range documents {
		all[i] = d.ID
	}
	return all, nil
}

// drop deletes up to n documents whose time is before or at the bound, and returns how many.
func drop(ctx context.Context, c *driver.Collection, field string, bound int64, n int64) (int, error) {
	over, err := ids(ctx, c, field, bound, n)
	if err != nil || len(over) == 0 {
		return 0, err
	}
	r, err := c.DeleteMany(ctx, bson.D{compare("_id", "$in", over), compare(field, "$lte", bound)})
	if err != nil {
		return 0, err
	}
	return int(r.DeletedCount), nil
}
