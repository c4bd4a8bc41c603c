package audit_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store/audit"
)

// TestTakenAway asks that a log whose file is removed or replaced says so, and loses no row
// when the file comes back.
func TestTakenAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := open(t, path, audit.Options{Every: time.Millisecond})
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(path, path+".away")
	if err := l.Ready(); err == nil || !strings.Contains(err.Error(), "taken away") {
		t.Fatalf("it is ready: %v", err)
	}
	if err := l.Append(t.Context(), entry(3)); err == nil {
		t.Error("a row without a file was taken for written")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Ready(); err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("another file is taken for it: %v", err)
	}
	move(path+".away", path)
	if err := l.Flush(t.Context()); err != nil || l.Ready() != nil {
		t.Fatal(err, l.Ready())
	}
	if all, err := l.Entries(context.Background(), audit.Filter{}); err != nil || len(all) != 1 {
		t.Errorf("%v %v", all, err)
	}
}
