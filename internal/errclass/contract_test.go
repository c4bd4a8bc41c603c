package errclass

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// now is the time of every test.
var now = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

var (
	read       = Call{ReadOnly: true}
	mutation   = Call{}
	idempotent = Call{Idempotent: true}
	keyed      = Call{Keyed: true}
)

// cells is the table of the contract, written a second time: class, HTTP status, action, and whether a
// read, a mutation, an idempotent mutation and a keyed one may be sent again.
var cells = []struct {
	class                             Class
	status                            int
	action                            Action
	read, mutation, idempotent, keyed bool
}{
	{"auth", 401, "fix_credentials", false, false, false, false},
	{"permission", 403, "check_permissions", false, false, false, false},
	{"invalid_args", 422, "fix_arguments", false, false, false, false},
	{"not_found", 404, "not_applicable", false, false, false, false},
	{"conflict", 409, "not_applicable", false, false, false, false},
	{"rate_limit", 429, "wait_and_retry", true, false, true, true},
	{"transient", 503, "retry", true, false, true, true},
	{"timeout", 504, "not_applicable", true, false, true, true},
}

func TestContract(t *testing.T) {
	for _, c := range cells {
		if got := HTTPStatus(c.class); got != c.status {
			t.Errorf("%s has HTTP status %d, want %d", c.class, got, c.status)
		}
		calls := []struct {
			name      string
			call      Call
			retryable bool
		}{
			{"read", read, c.read},
			{"mutation", mutation, c.mutation},
			{"idempotent", idempotent, c.idempotent},
			{"keyed", keyed, c.keyed},
		}
		for _, call := range calls {
			for _, outcome := range []Outcome{NotRun, Failed, Unknown} {
				e := New(c.class, Upstream, outcome, "m", call.call)
				if e.Retryable != call.retryable || e.Action != c.action {
					t.Errorf("%s of a %s: retryable %t, action %s", c.class, call.name, e.Retryable, e.Action)
				}
				if (e.SuggestedBackoff > 0) != call.retryable {
					t.Errorf("%s of a %s: backoff %s", c.class, call.name, e.SuggestedBackoff)
				}
				if e.Class != c.class || e.Context.Outcome != outcome || e.Context.Source != Upstream || e.Message != "m" {
					t.Errorf("%s of a %s: %+v", c.class, call.name, e)
				}
			}
		}
	}
	if len(cells) != len(contract) {
		t.Errorf("%d classes are tested of %d", len(cells), len(contract))
	}
}

func TestWhatIsNoClass(t *testing.T) {
	if got := HTTPStatus("surprise"); got != 500 {
		t.Errorf("HTTP status %d", got)
	}
	if e := New("surprise", Upstream, Failed, "", read); e.Retryable {
		t.Error("it is retryable")
	}
}

func TestFromHTTP(t *testing.T) {
	type want struct {
		class   Class
		outcome Outcome
	}
	for status, w := range map[int]want{
		204: {Transient, Failed}, 302: {NotFound, NotRun}, 308: {NotFound, NotRun},
		400: {InvalidArgs, NotRun}, 401: {Auth, NotRun}, 402: {Permission, NotRun}, 403: {Permission, NotRun},
		404: {NotFound, NotRun}, 405: {NotFound, NotRun}, 406: {InvalidArgs, NotRun}, 407: {Auth, NotRun},
		408: {Timeout, NotRun}, 409: {Conflict, Failed}, 410: {NotFound, NotRun}, 412: {Conflict, NotRun},
		413: {InvalidArgs, NotRun}, 415: {InvalidArgs, NotRun}, 418: {InvalidArgs, NotRun}, 421: {Transient, NotRun},
		422: {InvalidArgs, NotRun}, 423: {Conflict, NotRun}, 424: {Conflict, Failed}, 425: {Transient, NotRun},
		428: {Conflict, NotRun}, 429: {RateLimit, NotRun}, 431: {InvalidArgs, NotRun}, 451: {Permission, NotRun},
		499: {InvalidArgs, NotRun}, 500: {Transient, Failed}, 501: {NotFound, NotRun}, 502: {Transient, Unknown},
		503: {Transient, NotRun}, 504: {Transient, Unknown}, 505: {InvalidArgs, NotRun}, 507: {Transient, Failed},
		511: {Auth, NotRun}, 599: {Transient, Failed}, 0: {Transient, Failed},
	} {
		e := FromHTTP(status, nil, now, read)
		if e.Class != w.class || e.Context.Outcome != w.outcome {
			t.Errorf("%d is %s, %s, want %s, %s", status, e.Class, e.Context.Outcome, w.class, w.outcome)
		}
		if e.Context.UpstreamCode != status || e.Context.Source != Upstream || e.Message == "" {
			t.Errorf("%d: %+v", status, e)
		}
	}
	for status := range statuses {
		if http.StatusText(status) == "" {
			t.Errorf("%d is no status", status)
		}
	}
}

func TestFromHTTPWaits(t *testing.T) {
	tests := map[string]struct {
		status  int
		header  http.Header
		call    Call
		class   Class
		backoff time.Duration
		reset   time.Duration // from now; negative if none
	}{
		"429":                      {429, http.Header{"Retry-After": {"3"}}, read, RateLimit, 3 * time.Second, 3 * time.Second},
		"429, no header":           {429, nil, read, RateLimit, defaultBackoff, -1},
		"429, at once":             {429, http.Header{"Retry-After": {"0"}}, read, RateLimit, 0, 0},
		"429 of a mutation":        {429, http.Header{"Retry-After": {"3"}}, mutation, RateLimit, 0, 3 * time.Second},
		"429 of a keyed one":       {429, http.Header{"Retry-After": {"3"}}, keyed, RateLimit, 3 * time.Second, 3 * time.Second},
		"429, reset":               {429, http.Header{"X-Ratelimit-Reset": {"7"}}, read, RateLimit, 7 * time.Second, 7 * time.Second},
		"503":                      {503, http.Header{"Retry-After": {"5"}}, read, Transient, 5 * time.Second, 5 * time.Second},
		"503, reset of a limit":    {503, http.Header{"X-Ratelimit-Reset": {"7"}}, read, Transient, defaultBackoff, -1},
		"403, no calls left":       {403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"9"}}, read, RateLimit, 9 * time.Second, 9 * time.Second},
		"403, to come again":       {403, http.Header{"Retry-After": {"9"}}, read, RateLimit, 9 * time.Second, 9 * time.Second},
		"403, calls left":          {403, http.Header{"X-Ratelimit-Remaining": {"10"}}, read, Permission, 0, -1},
		"404 with a header":        {404, http.Header{"Retry-After": {"5"}}, read, NotFound, 0, -1},
		"401, no calls left as is": {401, http.Header{"X-Ratelimit-Remaining": {"0"}}, read, Auth, 0, -1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := FromHTTP(tt.status, tt.header, now, tt.call)
			if e.Class != tt.class || e.SuggestedBackoff != tt.backoff {
				t.Errorf("%s, backoff %s", e.Class, e.SuggestedBackoff)
			}
			switch {
			case tt.reset < 0 && !e.Context.ResetAt.IsZero():
				t.Errorf("reset at %s, though nothing was said", e.Context.ResetAt)
			case tt.reset >= 0 && !e.Context.ResetAt.Equal(now.Add(tt.reset)):
				t.Errorf("reset at %s", e.Context.ResetAt)
			}
		})
	}
}

func TestErrorIsAnError(t *testing.T) {
	var err error = New(Conflict, Bridge, NotRun, "taken", read)
	if e, ok := errors.AsType[Error](err); !ok || e.Class != Conflict || err.Error() != "conflict: taken" {
		t.Errorf("got %v", err)
	}
	if got := New(Conflict, Bridge, NotRun, "", read).Error(); got != "conflict" {
		t.Errorf("got %q", got)
	}
}
