package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestPercent(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		floor uint64
		sizes sizes
		want  int
	}{
		{32 * mib, sizes{}, 800}, // of the smallest heap
		{32 * mib, sizes{live: 1 * mib}, 800},
		{32 * mib, sizes{live: 4 * mib}, 700},
		{32 * mib, sizes{live: 4 * mib, stacks: 3 * mib, globals: 1 * mib}, 350},
		{32 * mib, sizes{live: 16 * mib}, 100},
		{32 * mib, sizes{live: 20 * mib}, 60},
		{32 * mib, sizes{live: 30 * mib}, fifth},
		{32 * mib, sizes{live: 80 * mib}, 35},
		{32 * mib, sizes{live: 128 * mib}, half},
		{32 * mib, sizes{live: 1 << 40}, half},
	} {
		if got := percent(tt.floor, tt.sizes); got != tt.want {
			t.Errorf("floor %d, %+v: %d, want %d", tt.floor, tt.sizes, got, tt.want)
		}
	}
}

// growth returns the percentage that is in force, and leaves it so.
func growth() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

// settle collects until the percentage is as wanted, which the collector's own goroutine
// sets a little later.
func settle(t *testing.T, wanted func(percent int) bool) {
	t.Helper()
	for range 1000 {
		if wanted(growth()) {
			return
		}
		runtime.GC()
	}
	t.Errorf("the heap still grows by %d percent", growth())
}

// While little lives the heap may grow far, and once much does by little only; and again.
func TestFloor(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	stop := Floor(64 << 20)
	for range 3 {
		settle(t, func(p int) bool { return p > 200 })
		much := make([]byte, 100<<20)
		settle(t, func(p int) bool { return p < half })
		runtime.KeepAlive(much)
	}
	stop()
	for range 10 {
		runtime.GC()
	}
	if p := growth(); p != 100 {
		t.Errorf("after the end the heap grows by %d percent", p)
	}
}
