package errclass

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait bounds what a peer can ask for. Longer is taken for this.
const maxWait = 365 * 24 * time.Hour

// RetryAfter returns how long the header asks to wait, and whether it asks at all: by Retry-After, in
// seconds or as a date (RFC 9110 §10.2.3), or else by one of the fields that say when a limit is
// reset. A time that is past is no wait.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if wait, ok := retryAfterField(h, now); ok {
		return wait, true
	}
	for _, name := range []string{"RateLimit-Reset", "X-RateLimit-Reset", "X-Rate-Limit-Reset"} {
		if wait, ok := resetValue(h.Get(name), now); ok {
			return wait, true
		}
	}
	return structuredReset(h.Get("RateLimit")) //nolint:canonicalheader // as the draft spells it
}

func retryAfterField(h http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if wait, ok := number(value, time.Second); ok {
		return wait, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return bounded(at.Sub(now)), true
	}
	return 0, false
}

// resetValue reads a reset field, which by the draft (draft-ietf-httpapi-ratelimit-headers-06) is in
// seconds from now, and by older habit may be a time in seconds or milliseconds since 1970.
func resetValue(value string, now time.Time) (time.Duration, bool) {
	const firstTime, firstMilliTime = 1e9, 1e12
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return 0, false
	case n >= firstMilliTime:
		n -= float64(now.UnixMilli())
		return number(strconv.FormatFloat(max(n, 0), 'f', -1, 64), time.Millisecond)
	case n >= firstTime:
		n -= float64(now.UnixMilli()) / 1000
		return number(strconv.FormatFloat(max(n, 0), 'f', -1, 64), time.Second)
	}
	return number(value, time.Second)
}

// structuredReset reads the parameter t of the RateLimit field (draft-ietf-httpapi-ratelimit-headers,
// since 08): "default";r=0;t=30.
func structuredReset(value string) (time.Duration, bool) {
	for parameter := range strings.SplitSeq(value, ";") {
		if t, ok := strings.CutPrefix(strings.TrimSpace(parameter), "t="); ok {
			return number(t, time.Second)
		}
	}
	return 0, false
}

// number reads a number of units that is not negative.
func number(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
		return 0, false
	}
	if n > float64(maxWait/unit) {
		return maxWait, true
	}
	return time.Duration(n * float64(unit)), true
}

func bounded(wait time.Duration) time.Duration {
	return min(max(wait, 0), maxWait)
}

// rateLimited reports whether a refusal is for too many calls: some answer 403 then, and say so in the
// header.
func rateLimited(h http.Header) bool {
	if h.Get("Retry-After") != "" {
		return true
	}
	for _, name := range []string{"RateLimit-Remaining", "X-RateLimit-Remaining", "X-Rate-Limit-Remaining"} {
		if strings.TrimSpace(h.Get(name)) == "0" {
			return true
		}
	}
	return false
}
