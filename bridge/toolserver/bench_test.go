package toolserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// The budget: the pipeline adds under 50 µs to a call with the audit batched, and under
// 300 µs with the row on the disk before the answer.
func BenchmarkCall(b *testing.B) {
	for _, bb := range []struct {
		name string
		o    toolserver.Options
		keep bool
	}{
		{"unaudited", toolserver.Options{}, false},
		{"batched", toolserver.Options{}, true},
		{"durable", toolserver.Options{Durable: true}, true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			if bb.keep {
				bb.o.Audit = filepath.Join(b.TempDir(), "audit.db")
			}
			s, err := library(bb.o)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			c := toolserver.Call{Tool: "sum", Arguments: json.RawMessage(`{"a":1,"b":2}`)}
			b.ReportAllocs()
			for b.Loop() {
				if res := s.Call(b.Context(), c); res.Outcome != toolserver.OK {
					b.Fatal(res.Text)
				}
			}
		})
	}
}

// BenchmarkDisk appends as many bytes as a row has to a plain file, and waits for the
// disk: no row can be durable in less. It stands beside "durable", which is to be judged
// by it on a machine that does other work too.
func BenchmarkDisk(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "plain"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	row := make([]byte, 400)
	for b.Loop() {
		if _, err := f.Write(row); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}
