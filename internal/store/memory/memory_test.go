package memory_test

import (
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/memory"
	"github.com/peerwright/peerwright/internal/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, now func() time.Time) store.Store { return memory.New(now) })
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, []int{100, 90_000}, func(_ *testing.B, now func() time.Time) store.Store { return memory.New(now) })
}
