package mcp

import (
	"context"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// flood makes a server that answers a method with notifications, and no end of them.
func flood(method string) func(wire.Message, []byte) [][]byte {
	return func(m wire.Message, reply []byte) [][]byte {
		switch {
		case reply == nil:
			return nil
		case m.Method != method:
			return [][]byte{reply}
		}
		var storm [][]byte
		for range 10_000 {
			storm = append(storm, wire.Notification("notifications/message", []byte(`{"level":"info","data":"x"}`)))
		}
		return append(storm, reply)
	}
}

// A server may send any amount. The suite keeps so much, accuses nobody, and goes.
func TestEnoughIsEnough(t *testing.T) {
	for _, w := range everyWay(mcp.Rev2511, mcp.Rev2607) {
		p := &scripted{hook: flood(noSuchMethod), http: scriptedHTTP{sse: true}}
		target := p.target(t, w)
		target.budget = wire.NewBudget(1<<20, target.hangUp)
		survey, err := target.Survey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out := attempt(t, target, survey, unknownMethod())
		if out.Status != reporters.Errored || !strings.Contains(out.Broken, "more than the") {
			t.Errorf("%v: %s: %+v", w, out.Status, out.Finding)
		}
		if out = attempt(t, target, survey, errorShape()); !out.Unreachable {
			t.Errorf("%v: the next case: %s: %+v", w, out.Status, out.Finding)
		}
		kept := 0
		for _, trace := range target.Traces() {
			kept += len(trace.Frames)
		}
		if kept > 2000 {
			t.Errorf("%v: %d frames were kept", w, kept)
		}
		if err := target.Close(context.Background()); err != nil {
			t.Errorf("%v: %v", w, err)
		}
	}
}

// The survey says so too.
func TestEnoughOfTheLists(t *testing.T) {
	p := &scripted{hook: flood("tools/list"), http: scriptedHTTP{sse: true}}
	target := p.target(t, way{"http", mcp.Rev2511})
	target.budget = wire.NewBudget(1<<20, target.hangUp)
	if _, err := target.Survey(t.Context()); err == nil || !strings.Contains(err.Error(), "more than the") {
		t.Errorf("surveyed: %v", err)
	}
}
