// Package heap keeps the collector of a small server from working all the time: by
// default a heap of a few MiB is collected each time that it has doubled, which under
// load is hundreds of times a second.
//
// It imports nothing of this module.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// fifth and half are the percentages by which the heap may grow between two collections
// where it is not small any more: a fifth at the floor, so that a thousand calls in flight
// stay within their memory, and half, which costs less work, from four times the floor on.
const fifth, half = 20, 50

// Floor lets the heap grow to so many bytes before it is collected, however little of it
// lives; one that needs more is collected each time that it has grown by a fifth, and
// by more the larger it is, up to half. It is process-wide, for a main function to call; stop takes it back.
func Floor(bytes uint64) (stop func()) {
	var stopped atomic.Bool
	before := debug.SetGCPercent(percent(bytes, measure()))
	watch(func() bool {
		if !stopped.Load() {
			debug.SetGCPercent(percent(bytes, measure()))
		}
		return !stopped.Load()
	})
	return func() {
		stopped.Store(true)
		debug.SetGCPercent(before)
	}
}

// sizes are what the collector reckons with, in bytes: what of the heap lived at the last
// collection, and what it reads beside that.
type sizes struct{ live, stacks, globals uint64 }

// percent is how much a heap of these sizes may grow up to the floor.
func percent(floor uint64, s sizes) int {
	const smallest = 4 << 20 // the least that a heap may grow to at 100 percent
	least := atLeast(floor, s.live)
	if s.live >= floor {
		return least
	}
	up := (floor - s.live) * 100 / max(s.live+s.stacks+s.globals, 1)
	return int(max(min(up, floor*100/smallest), uint64(least)))
}

// atLeast is how much a heap of which so much lives may grow in any case.
func atLeast(floor, live uint64) int {
	over := max(live, floor) - floor
	return int(min(fifth+(half-fifth)*over/max(3*floor, 1), half))
}

func measure() sizes {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	var n [3]uint64
	for i := range samples {
		if samples[i].Value.Kind() == metrics.KindUint64 { // a runtime need not tell
			n[i] = samples[i].Value.Uint64()
		}
	}
	return sizes{n[0], n[1], n[2]}
}

// watch calls each after every collection, until it says no.
func watch(each func() bool) {
	type sentinel struct{ _ [16]byte } // not so small that it shares a block with others
	var again func(*sentinel)
	again = func(s *sentinel) {
		if each() {
			runtime.SetFinalizer(s, again)
		}
	}
	runtime.SetFinalizer(&sentinel{}, again)
}
