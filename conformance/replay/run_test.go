package replay_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// result is what came of a case, in one line, and why.
type result struct {
	status reporters.Status
	why    string
}

// run puts the target through the cases and returns what came of each, by the end of
// its id.
func run(t *testing.T, target *replay.Target, only ...func(id string) bool) map[string]result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	survey, err := target.Survey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	all := map[string]result{}
	for _, c := range target.Cases() {
		id := strings.SplitN(c.ID, ".", 3)[2]
		if len(only) > 0 && !only[0](id) {
			continue
		}
		if plan := c.PlanFor(survey); plan.Status != "" {
			all[id] = result{plan.Status, plan.Reason}
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		out := conformance.Try(ctx, target, c, time.Now)
		cancel()
		all[id] = result{out.Status, out.Unverified + out.Broken + out.Actual}
	}
	return all
}

// expect compares statuses; a row's why must stand in the reason.
func expect(t *testing.T, got map[string]result, want map[string]result) {
	t.Helper()
	for id, r := range got {
		if w, named := want[id]; !named || w.status != r.status || !strings.Contains(r.why, w.why) {
			t.Errorf("%s: %s, %s\nwant %s, %s", id, r.status, r.why, w.status, w.why)
		}
	}
	for id := range want {
		if _, there := got[id]; !there {
			t.Errorf("%s: there is no such case", id)
		}
	}
}

// frame makes a frame of a line such as "> {…}" (of the client) or "< {…}".
func frames(lines string) []fixtures.Frame {
	var all []fixtures.Frame
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		dir := wire.In
		if line[0] == '>' {
			dir = wire.Out
		}
		all = append(all, fixtures.Frame{Dir: dir, Kind: wire.FrameMessage, Data: []byte(strings.TrimSpace(line[1:]) + "\n")})
	}
	return all
}

// fixture writes the frames and reads them back, so that they are bound as a
// recorder would bind them.
func fixture(t *testing.T, protocol string, all []fixtures.Frame) fixtures.Fixture {
	t.Helper()
	var file bytes.Buffer
	w, err := fixtures.NewWriter(&file, fixtures.Header{Protocol: protocol, Transport: "stdio", Recorded: fixtures.Recorded{At: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(all...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := fixtures.ReadAll(&file, "test")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func load(t *testing.T, name string, f fixtures.Fixture, o replay.Options) *replay.Script {
	t.Helper()
	s, err := replay.Load(name, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
