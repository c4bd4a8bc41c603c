package sqlitedb_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/internal/sqlitedb"
)

const killEnv = "SQLITEDB_TEST_PATH"

// TestMain is the test, or the process that one test kills: it writes rows for ever, and
// prints the number of each that was acknowledged.
func TestMain(m *testing.M) {
	path := os.Getenv(killEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	db, err := sqlitedb.Open(context.Background(), path, schema)
	if err != nil {
		panic(err)
	}
	for i := range 8 {
		go func() {
			for n := os.Getpid()*10_000_000 + i; ; n += 8 {
				if err := db.Write(context.Background(), insert(n)); err != nil {
					panic(err)
				}
				fmt.Println(n)
			}
		}()
	}
	select {}
}

func TestKilledProcessesLoseNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	var mu sync.Mutex
	acked := map[int]bool{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			got, err := writeAndKill(path, 300)
			mu.Lock()
			defer mu.Unlock()
			for _, n := range got {
				acked[n] = true
			}
			if err != nil || len(got) < 300 {
				t.Errorf("%d acknowledged, %v", len(got), err)
			}
		})
	}
	wg.Wait()
	db := open(t, path, schema)
	var check string
	if err := db.Read().QueryRow("PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity check: %s %v", check, err)
	}
	for n := range acked {
		var found int
		if err := db.Read().QueryRow("SELECT count(*) FROM t WHERE n = ?", n).Scan(&found); err != nil || found != 1 {
			t.Errorf("row %d was acknowledged: %d %v", n, found, err)
		}
	}
}

// writeAndKill runs a process that writes, kills it in the middle, and returns what it acknowledged.
func writeAndKill(path string, after int) (acked []int, err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return acked, err
		}
		if acked = append(acked, n); len(acked) == after {
			if err := cmd.Process.Kill(); err != nil {
				return acked, err
			}
		}
	}
	_ = cmd.Wait() // it was killed
	return acked, nil
}
