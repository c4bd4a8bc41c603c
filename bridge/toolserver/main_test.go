package toolserver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// TestMain serves stdio instead of running tests when it is told to, so that tests can
// start this very program as a server.
func TestMain(m *testing.M) {
	if os.Getenv("TOOLSERVER_STDIO") == "" {
		os.Exit(m.Run())
	}
	o := toolserver.Options{Audit: os.Getenv("TOOLSERVER_AUDIT"), PageSize: 3}
	if os.Getenv("TOOLSERVER_CONFIRM") == "terminal" {
		o.Confirm = toolserver.Terminal()
	}
	s, err := library(o)
	if err == nil {
		err = s.Stdio(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type sumIn struct {
	A int `json:"a" jsonschema:"the first number"`
	B int `json:"b,omitempty" jsonschema:"the second, 0 when left out"`
}

type sumOut struct {
	Sum int `json:"sum" jsonschema:"both together"`
}

type bookIn struct {
	Title string `json:"title" jsonschema:"the title of the book"`
}

// library is a server with a tool for everything that a tool can do.
func library(o toolserver.Options) (*toolserver.Server, error) {
	s, err := toolserver.New("library", o)
	if err != nil {
		return nil, err
	}
	ro := toolserver.ReadOnly
	return s, errors.Join(
		toolserver.Add(s, ro, toolserver.Tool{Name: "sum", Description: "Adds two numbers."}, sum),
		toolserver.Add(s, ro, toolserver.Tool{Name: "motto", Title: "The motto"}, func(context.Context, struct{}) (string, error) { return "Read slowly.", nil }),
		toolserver.Add(s, ro, toolserver.Tool{Name: "books"}, func(context.Context, struct{}) ([]string, error) { return []string{"Emma", "Ulysses"}, nil }),
		toolserver.Add(s, ro, toolserver.Tool{Name: "locked"}, func(context.Context, struct{}) (string, error) {
			return "", toolserver.Errorf(toolserver.NotFound, "nobody has the key")
		}),
		toolserver.Add(s, ro, toolserver.Tool{Name: "count"}, count),
		toolserver.Add(s, ro, toolserver.Tool{Name: "anything"}, func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil }),
		toolserver.Add(s, ro, toolserver.Tool{Name: "broken"}, func(context.Context, struct{}) (string, error) { panic("the shelf fell") }),
		toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "add_book"}, func(_ context.Context, in bookIn) (string, error) { return "added " + in.Title, nil }),
		toolserver.Add(s, toolserver.Destructive, toolserver.Tool{Name: "burn_book"}, func(_ context.Context, in bookIn) (string, error) { return "burnt " + in.Title, nil }),
	)
}

func sum(_ context.Context, in sumIn) (sumOut, error) { return sumOut{in.A + in.B}, nil }

type countIn struct {
	Steps int `json:"steps,omitempty" jsonschema:"how many steps, 3 when left out"`
	Ms    int `json:"ms,omitempty" jsonschema:"how long a step takes, in milliseconds"`
}

// count reports its progress, and ends with its context.
func count(ctx context.Context, in countIn) (string, error) {
	if in.Steps <= 0 {
		in.Steps = 3
	}
	in.Steps = min(in.Steps, 100)
	for i := range in.Steps {
		select {
		case <-time.After(time.Duration(max(in.Ms, 5)) * time.Millisecond):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		toolserver.Progress(ctx, float64(i+1), float64(in.Steps), "counting")
	}
	return fmt.Sprintf("counted to %d", in.Steps), nil
}

func newLibrary(t *testing.T, o toolserver.Options) *toolserver.Server {
	t.Helper()
	s, err := library(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
