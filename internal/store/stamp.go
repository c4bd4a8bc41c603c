package store

import (
	"fmt"
	"math"
	"time"
)

// The first and the last time that 64 bits of nanoseconds can tell. The least number is
// left to the zero time.
var (
	firstTime = time.Unix(0, math.MinInt64+1).UTC()
	lastTime  = time.Unix(0, math.MaxInt64).UTC()
)

// Stamp returns a time as a store keeps it, in nanoseconds since 1970. The zero time comes
// before all others, and what lies outside of the years 1678 to 2261 is moved to their
// bounds: that is right for a deadline and for the bound of a filter, and a turn is
// checked by CheckTime before.
func Stamp(t time.Time) int64 {
	switch {
	case t.IsZero():
		return math.MinInt64
	case t.Before(firstTime):
		return math.MinInt64 + 1
	case t.After(lastTime):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// Time undoes Stamp.
func Time(stamp int64) time.Time {
	if stamp == math.MinInt64 {
		return time.Time{}
	}
	return time.Unix(0, stamp).UTC()
}

// StampUntil is Stamp for an upper bound, where the zero time means none.
func StampUntil(t time.Time) int64 {
	if t.IsZero() {
		return math.MaxInt64
	}
	return Stamp(t)
}

// CheckTime refuses the time of a turn that Stamp would move.
func CheckTime(t time.Time) error {
	if !t.IsZero() && (t.Before(firstTime) || t.After(lastTime)) {
		return fmt.Errorf("the time of a turn lies between the years 1678 and 2261, not in %d", t.UTC().Year())
	}
	return nil
}
