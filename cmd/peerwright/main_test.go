package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
)

// actEnv names the part that this test binary plays when a test starts it as a
// server.
const actEnv = "PEERWRIGHT_TEST_ACT"

func TestMain(m *testing.M) {
	act, ok := acts()[os.Getenv(actEnv)]
	if !ok {
		os.Exit(m.Run())
	}
	os.Exit(act())
}

// acts are servers, good and bad.
func acts() map[string]func() int {
	return map[string]func() int{
		"good": serveGood,
		"banner": func() int {
			_, _ = fmt.Fprintln(os.Stdout, "Good Server version 1.0 ready")
			return serveGood()
		},
		"dies": func() int {
			_, _ = fmt.Fprintln(os.Stderr, "cannot open the database: no such file")
			return 7
		},
		"silent": func() int {
			_, _ = io.Copy(io.Discard, bufio.NewReader(os.Stdin))
			return 0
		},
		"nothing": func() int { return 0 },
		"program": program,
		"deaf": func() int { // neither answers nor ends
			select {}
		},
	}
}

func serveGood() int {
	if err := mcppeer.New(mcppeer.Options{}).ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
		return 1
	}
	return 0
}

// ran is what came of a command line.
type ran struct {
	code     int
	out, err string
}

// peerwright runs the program in this process.
func peerwright(t *testing.T, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs})
	return ran{code, out.String(), errs.String()}
}

// acting returns the command that starts this binary in a part.
func acting(t *testing.T, act string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(actEnv, act)
	return []string{"--", self}
}

// within fails the test when f takes longer: not how fast it is, but that it ends at
// all by the bound it was given.
func within(t *testing.T, d time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("still running after %v", d)
	}
}
