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
	"github.com/peerwright/peerwright/internal/store/sqlite"
)

const choices = "memory://, sqlite:///absolute/path or sqlite://relative/path"

// Open opens the store at the URL, which is memory://, sqlite:///absolute/path,
// sqlite://relative/path or sqlite:path. The path is taken as it stands, without escapes.
// An error repeats nothing of a URL but its scheme, as there may be credentials in it.
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
		return openSQLite(ctx, rest, now)
	}
	return nil, fmt.Errorf("no store is named %.20q: use %s", scheme, choices)
}

// openSQLite keeps a nil pointer from becoming a store that is not nil.
func openSQLite(ctx context.Context, path string, now func() time.Time) (store.Store, error) {
	s, err := sqlite.Open(ctx, path, now)
	if err != nil {
		return nil, err
	}
	return s, nil
}
