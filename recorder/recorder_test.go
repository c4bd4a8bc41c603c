package recorder_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
)

const canary = "CANARY-51b0e2"

func zip(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.Bytes()
}

// hides closes the recorder and looks through every byte in its folder.
func (r *recording) hides(secret string) {
	r.t.Helper()
	f := r.read()
	err := filepath.WalkDir(filepath.Dir(r.path), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if i := bytes.Index(data, []byte(secret)); i >= 0 {
			r.t.Errorf("%s has the secret: …%s…", path, data[max(0, i-80):min(len(data), i+80)])
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, frame := range f.Frames {
		if plain, err := fixtures.Decode("gzip", frame.Data); err == nil && bytes.Contains(plain, []byte(secret)) {
			r.t.Errorf("frame %d has the secret, encoded", frame.Seq)
		}
	}
	if len(f.Header.Redactions) == 0 {
		r.t.Error("the fixture does not say that anything was taken out")
	}
}

func TestNoSecretReachesTheDiskOverHTTP(t *testing.T) {
	for name, tc := range map[string]struct {
		header      http.Header
		query, body string
		media       string
		answer      string
	}{
		"headers":       {header: http.Header{"Authorization": {"Bearer " + canary}, "X-Api-Key": {canary}, "Cookie": {"sid=" + canary}}},
		"query":         {query: "?a=1&api_key=" + canary},
		"JSON":          {body: `{"params":{"arguments":{"password":"` + canary + `"}}}`},
		"JSON in JSON":  {body: `{"params":{"text":"{\"client_secret\":\"` + canary + `\"}"}}`},
		"an answer":     {media: "application/json", answer: `{"result":{"token":"` + canary + `"}}`},
		"an event":      {media: "text/event-stream", answer: "data: {\"token\":\"" + canary + "\"}\n\n"},
		"half an event": {media: "text/event-stream", answer: "data: {\"token\":\"" + canary + "\""},
		"text":          {media: "text/plain", answer: "Authorization: Bearer " + canary},
		"a long text":   {media: "text/plain", answer: strings.Repeat("la ", 600_000) + "password=" + canary + strings.Repeat(" la", 600_000)},
	} {
		t.Run(name, func(t *testing.T) {
			rec, _, proxied := between(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.media)
				w.Header().Set("Set-Cookie", "sid="+canary)
				pieces(w, tc.answer, 1000)
			}, recorder.ProxyOptions{})
			if got := ask(t, "POST", proxied+"/mcp"+tc.query, tc.body, tc.header); got.Body != tc.answer {
				t.Errorf("the client saw %d bytes, want %d", len(got.Body), len(tc.answer))
			}
			rec.hides(canary)
		})
	}
}

func TestKnownSecretsAreTakenOut(t *testing.T) {
	rec := record(t, "stdio", recorder.Options{Secrets: []string{canary}})
	tap := rec.Tap()
	tap(wire.Frame{Dir: wire.In, Kind: wire.FrameMessage, Data: []byte(`{"a":"it is ` + canary + ` here"}` + "\n")})
	tap(wire.Frame{Dir: wire.In, Kind: wire.FrameStderr, Data: []byte("said " + canary + "\n")})
	tap(wire.Frame{Dir: wire.In, Kind: wire.FrameClose, Note: "exit: " + canary})
	rec.hides(canary)
}

func TestASecretIsTheSameWithinOneFixtureAndOtherInTheNext(t *testing.T) {
	mark := func() (a, b string) {
		rec := record(t, "stdio", recorder.Options{})
		for _, data := range []string{`{"token":"` + canary + `"}`, `{"x":{"token":"` + canary + `"}}`} {
			rec.Tap()(wire.Frame{Dir: wire.In, Kind: wire.FrameMessage, Data: []byte(data)})
		}
		f := rec.read()
		first, _ := fixtures.ValueAt(f.Frames[0], "/token")
		second, _ := fixtures.ValueAt(f.Frames[1], "/x/token")
		return string(first), string(second)
	}
	a, b := mark()
	c, _ := mark()
	if a != b || a == c || !strings.HasPrefix(a, `"[REDACTED:token:`) {
		t.Errorf("within one: %s and %s; in the next: %s", a, b, c)
	}
}

// gate is a disk that waits.
type gate struct {
	open  chan struct{}
	bytes atomic.Int64
}

func (g *gate) Write(p []byte) (int, error) {
	if g.bytes.Add(int64(len(p))) > 1000 { // the header passes
		<-g.open
	}
	return len(p), nil
}

func TestASlowDiskHoldsNobodyUp(t *testing.T) {
	disk := &gate{open: make(chan struct{})}
	out, err := fixtures.NewWriter(disk, fixtures.Header{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recorder.New(out, recorder.Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 64<<10)
	for range 20_000 { // 1.2 GiB, if it were kept
		r.Tap()(wire.Frame{Dir: wire.In, Kind: wire.FrameMessage, Data: data})
	}
	close(disk.open)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if r.Lost() == 0 {
		t.Error("nothing was lost")
	}
	if n := disk.bytes.Load(); n > 32<<20 {
		t.Errorf("%d bytes were kept with 1 MiB of memory", n)
	}
}

func TestWhatASlowDiskLosesIsTold(t *testing.T) {
	rec := record(t, "stdio", recorder.Options{Memory: 2000})
	for range 1000 {
		rec.Tap()(wire.Frame{Dir: wire.In, Kind: wire.FrameMessage, Data: bytes.Repeat([]byte("x"), 1500)})
	}
	f := rec.read()
	whole, hollow := 0, 0
	for _, frame := range f.Frames {
		if len(frame.Data) > 0 {
			whole++
		} else if frame.Note == "1500 bytes were not recorded: the disk does not keep up" {
			hollow++
		}
	}
	if whole+hollow != len(f.Frames) {
		t.Errorf("%d frames, %d whole, %d that say what is missing", len(f.Frames), whole, hollow)
	}
	if whole < 1000 && len(f.Header.Notes) != 1 {
		t.Errorf("%d of 1000 whole, notes %v", whole, f.Header.Notes)
	}
}

var errDisk = errors.New("no space left")

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestAFullDiskIsToldOnceAndBreaksNothing(t *testing.T) {
	out, err := fixtures.NewWriter(&fullDisk{left: 500}, fixtures.Header{})
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan error, 10)
	r, err := recorder.New(out, recorder.Options{Failed: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 1000 {
				r.Tap()(wire.Frame{Dir: wire.Out, Kind: wire.FrameMessage, Data: []byte("hello")})
			}
		})
	}
	all.Wait()
	if err := r.Close(); !errors.Is(err, errDisk) {
		t.Errorf("closing: %v", err)
	}
	if err := r.Close(); !errors.Is(err, errDisk) {
		t.Errorf("closing again: %v", err)
	}
	if len(told) != 1 || !errors.Is(<-told, errDisk) {
		t.Errorf("told %d times", len(told)+1)
	}
}

func TestNoRandomnessNoRecording(t *testing.T) {
	out, _ := fixtures.NewWriter(io.Discard, fixtures.Header{})
	if _, err := recorder.New(out, recorder.Options{Random: strings.NewReader("short")}); err == nil {
		t.Error("no error")
	}
}

func TestAKilledRecorderLeavesAReadableFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+fixtures.Suffix)
	ctx, cancel := context.WithCancel(deadline(t))
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "RECORDER_TEST_AS=recorder", "RECORDER_TEST_FILE="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := deadline(t); deadline.Err() == nil; {
		if info, err := os.Stat(path); err == nil && info.Size() > 100_000 {
			break
		}
	}
	cancel() // SIGKILL
	_ = cmd.Wait()
	f, err := fixtures.Read(path)
	if err != nil || !f.Truncated || len(f.Frames) < 100 {
		t.Fatalf("%d frames, truncated %v, %v", len(f.Frames), f.Truncated, err)
	}
	for _, frame := range f.Frames {
		if string(frame.Payload()) != `{"jsonrpc":"2.0","method":"tick"}` {
			t.Fatalf("frame %d is %q", frame.Seq, frame.Data)
		}
	}
}
