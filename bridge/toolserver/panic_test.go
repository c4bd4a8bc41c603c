package toolserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

const canary = "sk-live-c4n4ry5ecretc4n4ry5ecret"

type brittleIn struct {
	Title string `json:"title,omitempty"`
}

func (*brittleIn) UnmarshalJSON([]byte) error { panic("reading " + canary) }

type brittleOut struct{ Title string }

func (brittleOut) MarshalJSON() ([]byte, error) { panic("writing " + canary) }

// TestPanics asks that a panic anywhere in the user's own code is one failed call, told to
// the client without its stack, and to the log with it, and that no secret is in either.
func TestPanics(t *testing.T) {
	var log bytes.Buffer
	s, err := toolserver.New("brittle", toolserver.Options{
		Audit: filepath.Join(t.TempDir(), "a.db"), Log: slog.New(slog.NewJSONHandler(&log, nil)), Keys: map[string]string{"ann": canary},
		Confirm: func(context.Context, toolserver.Ask) (bool, error) { panic("asking " + canary) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ro := toolserver.ReadOnly
	err = errors.Join(
		toolserver.Add(s, ro, toolserver.Tool{Name: "tool"}, func(context.Context, struct{}) (string, error) { panic("running " + canary) }),
		toolserver.Add(s, ro, toolserver.Tool{Name: "in"}, func(context.Context, brittleIn) (string, error) { return "", nil }),
		toolserver.Add(s, ro, toolserver.Tool{Name: "out"}, func(context.Context, struct{}) (brittleOut, error) { return brittleOut{}, nil }),
		toolserver.Add(s, toolserver.Destructive, toolserver.Tool{Name: "hook"}, func(context.Context, struct{}) (string, error) { return "", nil }),
		toolserver.Add(s, ro, toolserver.Tool{Name: "gone", Timeout: -1}, func(context.Context, struct{}) (string, error) { runtime.Goexit(); return "", nil }),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool    string
		outcome toolserver.Outcome
		words   string
	}{
		{"tool", toolserver.Failed, "the tool tool panicked: running"},
		{"in", toolserver.Invalid, "reading them panicked"},
		{"out", toolserver.Failed, "the tool out panicked: writing"},
		{"hook", toolserver.Denied, "the confirmation hook panicked: asking"},
		{"gone", toolserver.Failed, "ended its goroutine"},
	} {
		log.Reset()
		res := s.Call(t.Context(), toolserver.Call{Tool: tt.tool, Arguments: json.RawMessage(`{}`)})
		if res.Outcome != tt.outcome || !strings.Contains(res.Text, tt.words) || strings.Contains(res.Text, ".go:") || strings.Contains(res.Text, canary) {
			t.Errorf("%s: %s %q", tt.tool, res.Outcome, res.Text)
		}
		if told := log.String(); tt.tool != "gone" && !strings.Contains(told, "panic_test.go:") || strings.Contains(told, canary) || !strings.Contains(told, `"msg":"call","tool":"`+tt.tool) {
			t.Errorf("%s: logged %s", tt.tool, told)
		}
	}
	rows, err := s.Audit().Entries(t.Context(), toolserver.Filter{})
	if err != nil || len(rows) != 5 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
