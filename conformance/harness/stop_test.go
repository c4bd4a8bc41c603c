package harness_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/reporters"
)

// What the user cut off is not held against the peer, nor judged by half of it.
func TestAnInterruptAccusesNobody(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := suite()
	s.Cases = append([]conformance.Case{a("a.cut", reporters.Must, func(ctx context.Context, c *conformance.Check) {
		cancel(errors.New("the user pressed ^C"))
		<-ctx.Done()
		c.Answered(context.Cause(ctx), "a question")
	})}, s.Cases...)
	got, err := harness.Run(ctx, &peer{}, s, options())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a.cut", "b.bad-must", "p.broken"} {
		if c := find(t, got, id); c.Status != reporters.Errored || !strings.Contains(c.Reason, "interrupted: the user pressed ^C") {
			t.Errorf("after the interrupt: %+v", c)
		}
	}
}

// shutter opens for nobody but at one time, and does not say that it is gone.
type shutter struct {
	peer
	tried, lets int
}

func (s *shutter) Open(ctx context.Context, isolated bool) (conformance.Peer, error) {
	if s.tried++; s.tried != s.lets {
		return nil, errors.New("the handshake was refused; password=canary-9")
	}
	return s.peer.Open(ctx, isolated)
}

// A peer that refuses or keeps silent is not asked again and again: eight cases, each
// as long as its deadline.
func TestAPeerThatDoesNotOpenIsGivenUp(t *testing.T) {
	target := &shutter{lets: 3}
	got, err := harness.Run(t.Context(), target, suite(), options())
	if err != nil {
		t.Fatal(err)
	}
	if target.tried != 6 { // two, one that went well, three
		t.Errorf("%d handles were asked for", target.tried)
	}
	if c := find(t, got, "j.unreachable"); c.Status != reporters.Errored || !strings.Contains(c.Reason, "refused") || strings.Contains(c.Reason, "canary") {
		t.Errorf("a case that was not tried: %+v", c)
	}
}

// talker puts what it was told in confidence into its own names.
type talker struct{ peer }

func (k *talker) Survey(ctx context.Context) (conformance.Survey, error) {
	s, err := k.peer.Survey(ctx)
	s.Target, s.Name, s.Version = "http://u:canary-1@h/", "peer?token=canary-2", "password=canary-3"
	return s, err
}

func (k *talker) Calls() []reporters.Call {
	return []reporters.Call{{Tool: "Authorization: Bearer canary-4", Why: "it says password=canary-5", Count: 1}}
}

func TestNamesHoldNoSecrets(t *testing.T) {
	got, err := harness.Run(t.Context(), &talker{}, suite(), options())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{got.Target, got.Name, got.Version, got.Calls[0].Tool, got.Calls[0].Why} {
		if strings.Contains(text, "canary") || !strings.Contains(text, "REDACTED") {
			t.Errorf("%q", text)
		}
	}
}
