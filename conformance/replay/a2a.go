package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/peerwright/peerwright/conformance"
	suite "github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// A2AConfig says how to reach an agent. URL and Now are required.
type A2AConfig struct {
	URL     string            // of the agent, or of its card
	Options transport.Options // Tap is the target's own
	Now     func() time.Time
	Random  io.Reader // of ids that are made up; nil means crypto/rand
}

// A2A returns a target that plays the script against an agent. It fails when the
// script is not of A2A.
//
// A replay sends the messages of the fixture: what the agent does about them, it does
// again.
func A2A(s *Script, c A2AConfig) (*Target, error) {
	if s.Protocol() != fixtures.A2A {
		return nil, fmt.Errorf("fixture %s is of %s, and cannot be played against an A2A agent", s.name, s.Protocol())
	}
	l := &ledger{}
	return newTarget(s, &a2aBackend{script: s, config: c, ledger: l}, l, c.Now, c.Random), nil
}

type a2aBackend struct {
	script *Script
	config A2AConfig
	ledger *ledger
	agent  a2ahttp.Found
	found  offers
}

// survey finds the card and what it offers in the version of the fixture, or in the
// agent's first when it has no such.
func (b *a2aBackend) survey(ctx context.Context, tap wire.Tap) (conformance.Survey, error) {
	o := b.config.Options
	o.Tap = tap
	wanted := a2ahttp.Want{Version: b.script.fixture.Header.Revision}
	agent, err := a2ahttp.Discover(ctx, b.config.URL, a2ahttp.Config{Options: o, Want: wanted})
	if err != nil {
		return conformance.Survey{}, err
	}
	i, err := agent.Card.Pick(wanted)
	if err != nil {
		i, err = agent.Card.Pick(a2ahttp.Want{})
	}
	if err != nil {
		return conformance.Survey{}, err
	}
	if err := agent.Admits(i, b.config.Options.Header); err != nil {
		return conformance.Survey{}, err
	}
	b.agent, b.found = agent, offers{}
	for f, has := range map[conformance.Feature]bool{
		suite.JSONRPC: b.speaks(i.Version, a2ahttp.JSONRPC), suite.HTTPJSON: b.speaks(i.Version, a2ahttp.HTTPJSON),
		suite.Streaming: agent.Card.Streaming, suite.Push: agent.Card.PushNotifications, suite.ExtendedCard: agent.Card.ExtendedCard,
	} {
		if has {
			b.found[f] = conformance.Offer{Usable: true}
		}
	}
	return conformance.Survey{
		Protocol: conformance.A2A, Transport: "http", Target: b.config.URL,
		Name: agent.Card.Name, Version: agent.Card.Version, Revision: i.Version, Features: b.found,
	}, nil
}

func (b *a2aBackend) speaks(version, binding string) bool {
	_, err := b.agent.Card.Pick(a2ahttp.Want{Version: version, Binding: binding})
	return err == nil
}

func (b *a2aBackend) open(_ context.Context, tap wire.Tap) (driver, error) {
	o := b.config.Options
	o.Tap = tap
	return &a2aDriver{a2aBackend: b, http: transport.NewHTTP(o, nil)}, nil
}

// a2aDriver makes the HTTP exchanges of a script.
type a2aDriver struct {
	*a2aBackend
	http *transport.HTTP
}

func (d *a2aDriver) refuses(st *step) string { return d.found.refuses(st) }

// greeting is of no step: A2A opens a conversation by nothing.
func (d *a2aDriver) greeting(*step) answer { return answer{} }

func (d *a2aDriver) stamp(_ *step, out fixtures.Frame) (fixtures.Frame, error) { return out, nil }

func (d *a2aDriver) close(context.Context) error {
	d.http.Close()
	return nil
}

func (d *a2aDriver) send(ctx context.Context, st *step, head, out fixtures.Frame) (wait, error) {
	if st.area != conformance.Discovery {
		d.ledger.note(st.method, "replay of "+d.script.name)
	}
	address, err := routeOf(head.URL, st.Request).live(d.agent, func(binding string) (a2ahttp.Interface, error) {
		i, err := d.agent.Card.Pick(a2ahttp.Want{Version: d.script.fixture.Header.Revision, Binding: binding})
		if err != nil {
			return i, err
		}
		return i, d.agent.Admits(i, d.config.Options.Header)
	})
	if err != nil {
		return nil, err
	}
	resp, err := d.http.Do(ctx, transport.HTTPRequest{
		Method: head.Method, URL: address, Header: keptHeader(head.Header), Body: out.Data,
	})
	if err != nil {
		return nil, err
	}
	done := make(chan answer, 1)
	go func() { done <- d.read(resp, st) }()
	return func(ctx context.Context) answer {
		select {
		case a := <-done:
			return a
		case <-ctx.Done():
			err := fmt.Errorf("waiting for the end of the answer: %w", context.Cause(ctx))
			resp.Cut(err)
			return answer{err: err}
		}
	}, nil
}

// read reads the answer: to its end, or as many events as the recorded client took
// before it went away.
func (d *a2aDriver) read(resp *transport.HTTPResponse, st *step) answer {
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	limit := d.config.Options.Limit
	if limit <= 0 {
		limit = wire.DefaultLimit
	}
	if transport.MediaType(resp.Header) != "text/event-stream" {
		body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
		if len(body) > limit {
			err = fmt.Errorf("the body is longer than the limit of %d bytes", limit)
		}
		a.err = err
		if len(body) > 0 {
			a.payloads = [][]byte{body}
		}
		return a
	}
	a.payloads, a.err = readEvents(resp, limit, st)
	return a
}

func readEvents(resp *transport.HTTPResponse, limit int, st *step) ([][]byte, error) {
	enough := 0 // how many events to take; 0 means all
	if !st.Closed || st.Cut != "" {
		enough = len(st.Payloads())
	}
	var all [][]byte
	reader := wire.NewEventReader(resp.Body, limit)
	for {
		event, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return all, nil
		case err != nil:
			return all, fmt.Errorf("reading the stream: %w", err)
		case event.Dispatched:
			all = append(all, event.Data)
		}
		if enough > 0 && len(all) == enough {
			return all, nil
		}
	}
}
