package recorder_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
)

// BenchmarkTap is what a frame of 1 KiB costs the traffic.
func BenchmarkTap(b *testing.B) {
	r, frame := begin(b, recorder.DefaultMemory)
	tap := r.Tap()
	for b.Loop() {
		tap(frame)
	}
	b.StopTimer()
	_ = r.Close()
}

// BenchmarkRecord is what it costs in all, until it is written.
func BenchmarkRecord(b *testing.B) {
	r, frame := begin(b, 1<<40)
	tap := r.Tap()
	b.ResetTimer()
	for range b.N {
		tap(frame)
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}

func begin(b *testing.B, memory int) (*recorder.Recorder, wire.Frame) {
	b.Helper()
	out, err := fixtures.NewWriter(io.Discard, fixtures.Header{Protocol: fixtures.MCP})
	if err != nil {
		b.Fatal(err)
	}
	r, err := recorder.New(out, recorder.Options{Memory: memory})
	if err != nil {
		b.Fatal(err)
	}
	data := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + string(bytes.Repeat([]byte("word "), 190)) + `"}]}}` + "\n")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	return r, wire.Frame{Dir: wire.In, Kind: wire.FrameMessage, Data: data}
}
