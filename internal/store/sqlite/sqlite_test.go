package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/sqlite"
	"github.com/peerwright/peerwright/internal/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
