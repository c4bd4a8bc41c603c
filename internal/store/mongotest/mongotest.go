// Package mongotest starts a server that speaks the MongoDB protocol, for tests: the
// program in the folder ferret, which scripts/install-peers.sh builds. It is no MongoDB;
// MONGODB_URL_FOR_TESTS names a real one to test against in its place.
package mongotest

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Environment names the URL of a server to use, without a database.
const Environment = "MONGODB_URL_FOR_TESTS"

// Start starts a server for the test and returns its URL, without a path. It skips the
// test, with the reason, where there is none, or where PEERWRIGHT_LIVE is not set.
func Start(t testing.TB) string {
	t.Helper()
	if given := os.Getenv(Environment); given != "" {
		return strings.TrimSuffix(given, "/")
	}
	if os.Getenv("PEERWRIGHT_LIVE") == "" {
		t.Skip("set PEERWRIGHT_LIVE=1 to start servers of the MongoDB protocol; make test does")
	}
	program, err := find()
	if err != nil {
		t.Skip(err)
	}
	return strings.TrimSuffix(run(t, program), "/")
}

// Database returns the URL of a database of that server that nobody else uses.
func Database(t testing.TB, server string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/test_" + strings.ToLower(rand.Text())
	return u.String()
}

// find looks for the program in the checkout that the test runs in.
func find() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", fmt.Errorf("no go.mod stands above %s", folder)
		}
		folder = parent
	}
	program := filepath.Join(folder, ".tools", "bin", "ferretdb")
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("%s is missing: run scripts/install-peers.sh", program)
	}
	return program, nil
}

// run starts the program, which ends when its standard input does: with the test, or
// with its process.
func run(t testing.TB, program string) string {
	t.Helper()
	cmd := exec.Command(program)
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server of the MongoDB protocol: %v; it wrote: %s", err, said.String())
		}
	})
	if err != nil {
		t.Fatalf("the server of the MongoDB protocol did not say where it listens: %v", err)
	}
	return strings.TrimSpace(line)
}
