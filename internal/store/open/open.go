// Package open opens the store that a URL names.
package open

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/memory"
	"github.com/peerwright/peerwright/internal/store/mongo"
	"github.com/peerwright/peerwright/internal/store/sqlite"
)

const choices = "memory://, sqlite:///absolute/path, sqlite://relative/path or mongodb://host/database"

// Open opens the store at the URL, which is memory://, sqlite:///absolute/path,
// sqlite://relative/path, sqlite:path, mongodb://… or mongodb+srv://…. The path of a file
// is taken as it stands, without escapes. No error repeats credentials of a URL.
func Open(ctx context.Context, url string, now func() time.Time) (store.Store, error) {
	scheme, rest, found := strings.Cut(url, ":")
	if !found {
		return nil, errors.New("a store is named by a URL: " + choices)
	}
	rest = strings.TrimPrefix(rest, "//")
	switch {
	case scheme == "memory" && rest == "":
		return memory.New(now), nil
	case scheme == "memory":
		return nil, errors.New("the memory store takes no path: use memory://")
	case scheme == "sqlite":
		s, err := sqlite.Open(ctx, rest, now)
		return opened(s, err)
	case scheme == "mongodb", scheme == "mongodb+srv":
		s, err := mongo.Open(ctx, url, now)
		return opened(s, err)
	}
	return nil, fmt.Errorf("no store is named %.20q: use %s", scheme, choices)
}

// opened keeps a nil pointer from becoming a store that is not nil.
func opened[S store.Store](s S, err error) (store.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
