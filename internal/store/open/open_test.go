package open_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store/open"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for url, file := range map[string]string{
		"memory://": ".", "sqlite://" + dir + "/abs.db": "abs.db", "sqlite://sub/rel.db": "sub/rel.db", "sqlite:short.db": "short.db",
	} {
		s, err := open.Open(t.Context(), url, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for url, want := range map[string]string{
		"": "memory://", "plain": "memory://", "redis://user:hunter2@host": "sqlite:///", "memory://x": "no path", "sqlite://": "path",
	} {
		_, err := open.Open(t.Context(), url, time.Now)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %q", url, err, want)
		}
	}
}
