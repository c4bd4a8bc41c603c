package open_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store/mongotest"
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

// The store that a URL of MongoDB names is opened, in the database of its path.
func TestMongo(t *testing.T) {
	url := mongotest.Database(t, mongotest.Start(t))
	s, err := open.Open(t.Context(), url, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, database, _ := strings.Cut(url, "//"); s.Name() != "mongodb "+database {
		t.Errorf("%s is named %s", url, s.Name())
	}
}

func TestRefusals(t *testing.T) {
	for url, want := range map[string]string{
		"": "memory://", "plain": "memory://", "redis://user:hunter2@host": "sqlite:///", "memory://x": "no path", "sqlite://": "path",
		"mongodb+srv://u:hunter2@127.0.0.1:27017/": "port", "mongodb://u:hunter2@/": "host", "mongodb://127.0.0.1:1/?timeoutMS=200": "127.0.0.1:1",
	} {
		_, err := open.Open(t.Context(), url, time.Now)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %q", url, err, want)
		}
	}
}
