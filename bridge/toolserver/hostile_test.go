package toolserver_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

type reckoned struct {
	N int     `json:"n,omitempty"`
	L []int   `json:"l,omitempty"`
	F float64 `json:"f,omitempty"`
}

// TestHostileArguments asks that arguments which nobody can reckon with, or name the faults
// of in full, are refused in a few words and nothing worse.
func TestHostileArguments(t *testing.T) {
	s, err := toolserver.New("s", toolserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "tool"}, func(context.Context, reckoned) (string, error) { return "ran", nil })
	if err != nil {
		t.Fatal(err)
	}
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `"member%d":1,`, i)
	}
	for args, words := range map[string]string{
		`{"n":1e1000001}`:                    "exponent",
		`{"n":1E+9999999999999999999}`:       "exponent",
		`{"f":1e-1000001}`:                   "exponent",
		`{"l":[1,1e1000000]}`:                "exponent",
		`{"l":[{"a":1e1000000}]}`:            "exponent",
		`{"n":1e400}`:                        "n cannot be",
		`{"n":"1e1000001"}`:                  "expected integer",
		`{` + many.String() + `"n":1}`:       "additionalProperties",
		`{"l":[` + many.String()[:20] + `]}`: "not JSON",
	} {
		res := s.Call(t.Context(), toolserver.Call{Tool: "tool", Arguments: []byte(args)})
		if res.Outcome != toolserver.Invalid || !strings.Contains(res.Text, words) || len(res.Text) > 2000 {
			t.Errorf("%.40s: %v, %d bytes: %.100s", args, res.Outcome, len(res.Text), res.Text)
		}
	}
	if res := s.Call(t.Context(), toolserver.Call{Tool: "tool", Arguments: []byte(`{"f":1e300}`)}); res.Text != "ran" {
		t.Errorf("%+v", res)
	}
}

// TestAuditTakenAway asks that nothing runs any more once the file of the audit log is gone.
func TestAuditTakenAway(t *testing.T) {
	path, ran := filepath.Join(t.TempDir(), "a.db"), 0
	s, err := toolserver.New("s", toolserver.Options{Audit: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() // it tells of the rows that are lost
	err = toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "tool"}, func(context.Context, struct{}) (string, error) { ran++; return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	res := s.Call(t.Context(), toolserver.Call{Tool: "tool"})
	if res.Outcome != toolserver.Denied || ran != 0 || !strings.Contains(res.Text, "its record could not be kept") {
		t.Errorf("%+v, ran %d times", res, ran)
	}
}
