package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
)

// tty is a terminal on which someone types.
type tty struct {
	*io.PipeReader
	io.Writer
}

// TestTerminal lets someone at the other end of a terminal decide.
func TestTerminal(t *testing.T) {
	tests := []struct {
		typed string
		want  bool
	}{{"4821\r\n", true}, {" 4821 \n", true}, {"yes\n", false}, {"\n", false}, {"4820\n", false}, {"48211\n", false}}
	for _, tt := range tests {
		typing, typed := io.Pipe()
		screen := &strings.Builder{}
		hook := terminal(func() (io.ReadWriteCloser, error) { return tty{typing, screen}, nil }, func() int { return 4821 })
		go func() { _, _ = io.WriteString(typed, tt.typed) }()
		ok, err := hook(t.Context(), Ask{Server: "git", Tool: "wipe", Caller: "ann\x1b[2J", Arguments: json.RawMessage(`{"a":"b"}`)})
		if ok != tt.want || err != nil {
			t.Errorf("%q: %v %v", tt.typed, ok, err)
		}
		if text := screen.String(); strings.Contains(text, "\x1b") || !strings.Contains(text, `wipe of git with {"a":"b"}`) || !strings.Contains(text, "Type 4821") {
			t.Errorf("shown: %q", text)
		}
	}
}

// TestNoTerminal asks that without one there is nobody to ask, and that a person who does
// not answer denies.
func TestNoTerminal(t *testing.T) {
	none := terminal(func() (io.ReadWriteCloser, error) { return nil, errors.New("no such device") }, func() int { return 1 })
	if ok, err := none(t.Context(), Ask{}); ok || !errors.Is(err, ErrCannotAsk) {
		t.Errorf("%v %v", ok, err)
	}
	var opened atomic.Int32
	typing, _ := io.Pipe()
	ctx, stop := context.WithCancelCause(t.Context())
	silent := terminal(func() (io.ReadWriteCloser, error) {
		opened.Add(1)
		stop(fmt.Errorf("too late"))
		return tty{typing, io.Discard}, nil
	}, func() int { return 1 })
	if ok, err := silent(ctx, Ask{}); ok || err == nil {
		t.Errorf("%v %v", ok, err)
	}
	if ok, err := silent(t.Context(), Ask{Arguments: make(json.RawMessage, mostShown+1)}); ok || !errors.Is(err, errTooLongToShow) || opened.Load() != 1 {
		t.Errorf("%v %v", ok, err)
	}
}
