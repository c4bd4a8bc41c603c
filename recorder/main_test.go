package recorder_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
)

// TestMain lets the test binary be the processes that the tests start.
func TestMain(m *testing.M) {
	switch os.Getenv("RECORDER_TEST_AS") {
	case "server": // writes a file to stdout and another to stderr, and then reads its stdin
		copyFile(os.Stdout, os.Getenv("RECORDER_TEST_STDOUT"))
		copyFile(os.Stderr, os.Getenv("RECORDER_TEST_STDERR"))
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "recorder": // records until it is killed
		recordForEver(os.Getenv("RECORDER_TEST_FILE"))
		return
	}
	os.Exit(m.Run())
}

func copyFile(w io.Writer, name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(data)
}

func recordForEver(path string) {
	out, err := fixtures.Create(path, fixtures.Header{Protocol: fixtures.MCP, Transport: "stdio"}, false)
	if err != nil {
		panic(err)
	}
	r, err := recorder.New(out, recorder.Options{})
	if err != nil {
		panic(err)
	}
	for {
		r.Tap()(wire.Frame{Dir: wire.In, Kind: wire.FrameMessage, Data: []byte(`{"jsonrpc":"2.0","method":"tick"}` + "\n")})
	}
}

// recording is a recorder and its file.
type recording struct {
	*recorder.Recorder
	t    *testing.T
	path string
}

func record(t *testing.T, transport string, o recorder.Options) *recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a"+fixtures.Suffix)
	out, err := fixtures.Create(path, fixtures.Header{Transport: transport, Recorded: fixtures.Recorded{At: time.Now()}}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recorder.New(out, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return &recording{r, t, path}
}

// read closes the recorder and returns what it wrote.
func (r *recording) read() fixtures.Fixture {
	r.t.Helper()
	if err := r.Close(); err != nil {
		r.t.Fatal(err)
	}
	f, err := fixtures.Read(r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

// joined returns the bytes of the frames in one direction, of the kinds that make up
// the stream.
func joined(f fixtures.Fixture, exchange int, dir wire.Direction, kinds ...wire.FrameKind) []byte {
	var all bytes.Buffer
	for _, frame := range f.Frames {
		for _, k := range kinds {
			if frame.Kind == k && frame.Dir == dir && frame.Exchange == exchange {
				all.Write(frame.Data)
			}
		}
	}
	return all.Bytes()
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}
