package errclass

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	const none = -1
	unix := "1785585630" // now and 30 seconds
	tests := map[string]struct {
		name, value string
		want        time.Duration
	}{
		"seconds":          {"Retry-After", "120", 2 * time.Minute},
		"zero":             {"Retry-After", "0", 0},
		"space":            {"Retry-After", " 5 ", 5 * time.Second},
		"decimals":         {"Retry-After", "2.5", 2500 * time.Millisecond},
		"date":             {"Retry-After", "Sat, 01 Aug 2026 12:01:00 GMT", time.Minute},
		"date, RFC 850":    {"Retry-After", "Saturday, 01-Aug-26 12:01:00 GMT", time.Minute},
		"date, asctime":    {"Retry-After", "Sat Aug  1 12:01:00 2026", time.Minute},
		"date past":        {"Retry-After", "Sat, 01 Aug 2026 11:00:00 GMT", 0},
		"negative":         {"Retry-After", "-5", none},
		"words":            {"Retry-After", "soon", none},
		"empty":            {"Retry-After", "", none},
		"infinity":         {"Retry-After", "Inf", none},
		"no number":        {"Retry-After", "NaN", none},
		"huge":             {"Retry-After", "99999999999999999999", maxWait},
		"far":              {"Retry-After", "Sat, 01 Aug 2126 12:00:00 GMT", maxWait},
		"reset":            {"RateLimit-Reset", "30", 30 * time.Second},
		"reset at":         {"X-RateLimit-Reset", unix, 30 * time.Second},
		"reset at, ms":     {"X-RateLimit-Reset", unix + "500", 30500 * time.Millisecond},
		"reset at, past":   {"X-RateLimit-Reset", "1700000000", 0},
		"reset, words":     {"X-Rate-Limit-Reset", "soon", none},
		"structured":       {"RateLimit", `"default";r=0;t=30`, 30 * time.Second},
		"structured, none": {"RateLimit", `"default";r=5`, none},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			h.Set(tt.name, tt.value)
			got, ok := RetryAfter(h, now)
			if ok != (tt.want != none) || ok && got != tt.want {
				t.Errorf("%s, %t, want %s", got, ok, tt.want)
			}
		})
	}
	both := http.Header{"Retry-After": {"1"}, "Ratelimit-Reset": {"30"}}
	if got, _ := RetryAfter(both, now); got != time.Second {
		t.Errorf("of two fields the reset decides: %s", got)
	}
	if _, ok := RetryAfter(nil, now); ok {
		t.Error("no header asks to wait")
	}
}

// FuzzHints holds that nothing a peer says panics, or makes anybody wait for longer than the bound.
func FuzzHints(f *testing.F) {
	f.Add(`{"status":429,"retryAfter":1e300}`, "1e300")
	f.Add(`[{"reason":"TASK_NOT_FOUND"},{"retryDelay":"-9999999h"}]`, "Sat, 01 Aug 2126 12:00:00 GMT")
	f.Add(strings.Repeat(`{"error":`, 9)+`{}`+strings.Repeat(`}`, 9), `"default";t=30`)
	f.Fuzz(func(t *testing.T, data, value string) {
		h := http.Header{"Retry-After": {value}, "X-Ratelimit-Reset": {value}, "Ratelimit": {value}}
		for _, e := range []Error{
			FromMCP(-32603, "", []byte(data), now, read), FromIsError([]byte(data), "", now, read),
			FromA2AREST(400, h, []byte(data), now, read), FromHTTP(429, h, now, read),
		} {
			if _, ok := contract[e.Class]; !ok || e.SuggestedBackoff < 0 || e.SuggestedBackoff > maxWait {
				t.Errorf("%q and %q give %+v", data, value, e)
			}
		}
	})
}
