package mcp

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// way is how a test reaches a scripted server: a transport and a revision.
type way struct{ transport, revision string }

func (w way) String() string { return w.transport + " " + w.revision }

// target reaches the server, and lets go of it with the test.
func (p *scripted) target(t *testing.T, w way) *Target {
	t.Helper()
	c := Config{Transport: w.transport, Name: "scripted", Revision: w.revision, Now: time.Now, Probe: 300 * time.Millisecond}
	switch w.transport {
	case "http":
		server := httptest.NewServer(p.handler())
		t.Cleanup(server.Close)
		c.Dial = func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
			return mcphttp.Dial(ctx, server.URL, transport.Options{Tap: tap})
		}
	default:
		c.Dial = func(_ context.Context, tap wire.Tap) (transport.Conn, error) {
			return stdio.DialPipe(context.Background(), p.serve, transport.Options{Tap: tap}), nil
		}
	}
	target := NewTarget(c)
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

// try puts the server through a case, when the case applies to it.
func (p *scripted) try(t *testing.T, w way, c conformance.Case) conformance.Outcome {
	t.Helper()
	target := p.target(t, w)
	survey, err := target.Survey(t.Context())
	if err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	return attempt(t, target, survey, c)
}

func attempt(t *testing.T, target *Target, survey conformance.Survey, c conformance.Case) conformance.Outcome {
	t.Helper()
	if plan := c.PlanFor(survey); plan.Status != "" {
		return conformance.Outcome{Status: plan.Status, Finding: conformance.Finding{Unverified: plan.Reason}}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	return conformance.Try(ctx, target, c, time.Now)
}

// row is one scripted server, and what a case has to say of it.
type row struct {
	name string
	peer *scripted
	way  way
	want reporters.Status
	says string // part of what was seen, or of why nothing was
}

// judge runs the rows.
func judge(t *testing.T, c conformance.Case, rows ...row) {
	t.Helper()
	for _, r := range rows {
		t.Run(c.ID+"/"+r.name+"/"+r.way.String(), func(t *testing.T) {
			t.Parallel() // many a case waits for what does not come
			out := r.peer.try(t, r.way, c)
			if out.Status != r.want || !contains(out, r.says) {
				t.Errorf("%s: expected %q, actual %q, unverified %q, broken %q; want %s that says %q",
					out.Status, out.Expected, out.Actual, out.Unverified, out.Broken, r.want, r.says)
			}
		})
	}
}

// contains tells whether the outcome says something.
func contains(out conformance.Outcome, what string) bool {
	return strings.Contains(out.Actual+out.Unverified+out.Broken, what)
}

// everyWay lists every transport with every revision that it is tested with.
func everyWay(revisions ...string) []way {
	var all []way
	for _, r := range revisions {
		all = append(all, way{"stdio", r}, way{"http", r})
	}
	return all
}
