package errclass

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestEnvelope(t *testing.T) {
	late := New(RateLimit, Upstream, NotRun, "", read).withWait(1500*time.Microsecond, now.Add(time.Nanosecond))
	for name, e := range map[string]Error{
		"rate_limit":   FromHTTP(429, http.Header{"Retry-After": {"2.5"}}, now, read),
		"invalid_args": FromMCP(-32602, "no such tool: <x>", nil, now, keyed),
		"transport":    FromTransport(Closed, errors.New("exit status 1"), mutation),
		"rounded_up":   late,
		"bridge":       New(InvalidArgs, Bridge, NotRun, "stream is not supported", read),
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			if err := enc.Encode(e); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".golden.json")
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s differs (-want +got); if that is meant, run the test with -update:\n%s", path, diff)
			}
		})
	}
}
