package replay

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// Options say how answers are compared. The zero value is ready to use.
type Options struct {
	Strictness fixtures.Strictness // "" means fixtures.Shape
}

// Script is a fixture made ready to be played.
type Script struct {
	name    string
	fixture fixtures.Fixture
	log     *fixtures.Log
	compare *fixtures.Comparator
	steps   []*step
	frames  map[int]fixtures.Frame
	uses    map[int][]use              // by the number of the frame that they stand in
	from    map[int][]fixtures.Binding // by the number of the frame that has the value first
}

// use is a place where a value stands that was seen before.
type use struct {
	*fixtures.Binding
	at string
}

// step is one exchange of the script.
type step struct {
	*fixtures.Exchange
	method string // of JSON-RPC, or the operation of a REST call, or the HTTP method and path
	begins int    // number of the frame that begins it
	ends   int    // number of the frame that ends its answer; 0 when there is none
	// idle says why it is not played, though it is in the fixture; "" when it is.
	idle string
	// unknown says why there is nothing to compare its answer with.
	unknown string
	// greets tells that the opening of the conversation plays it.
	greets bool
	needs  []conformance.Feature
	area   conformance.Area
	route  route // of A2A
}

// Load makes a fixture ready. The name becomes part of the ids of its cases. It fails
// when the fixture does not say its protocol, or holds no exchange.
func Load(name string, f fixtures.Fixture, o Options) (*Script, error) {
	compare, err := fixtures.NewComparator(fixtures.Comparison{
		Protocol: f.Header.Protocol, Strictness: o.Strictness, Matchers: f.Header.Matchers,
	})
	if err != nil {
		return nil, fmt.Errorf("fixture %s: %w", name, err)
	}
	s := &Script{
		name: name, fixture: f, log: fixtures.Sort(f.Frames), compare: compare,
		frames: map[int]fixtures.Frame{}, uses: map[int][]use{}, from: map[int][]fixtures.Binding{},
	}
	for _, frame := range f.Frames {
		s.frames[frame.Seq] = frame
	}
	for _, b := range f.Header.Bindings {
		s.from[b.From.Frame] = append(s.from[b.From.Frame], b)
		for _, u := range b.Uses {
			s.uses[u.Frame] = append(s.uses[u.Frame], use{&b, u.At})
		}
	}
	switch f.Header.Protocol {
	case fixtures.MCP:
		s.planMCP()
	case fixtures.A2A:
		s.planA2A()
	default:
		return nil, fmt.Errorf("fixture %s: its header names no protocol that can be played: write \"mcp\" or \"a2a\" there", name)
	}
	if len(s.steps) == 0 {
		return nil, fmt.Errorf("fixture %s: it holds no exchange", name)
	}
	return s, nil
}

// Protocol returns the protocol of the fixture: fixtures.MCP or fixtures.A2A.
func (s *Script) Protocol() string { return s.fixture.Header.Protocol }

// revisions lists those in which the fixture can be played: its own, or any when
// nothing tells it.
func (s *Script) revisions() []string {
	switch {
	case s.fixture.Header.Revision != "":
		return []string{s.fixture.Header.Revision}
	case s.Protocol() == fixtures.MCP:
		return mcp.Revisions()
	}
	return []string{a2ahttp.V02, a2ahttp.V03, a2ahttp.V10}
}

func (s *Script) add(st *step) { s.steps = append(s.steps, st) }

// volatile lists the places in the payload of a frame whose values are bound.
func (s *Script) volatile(frame int) []string {
	var places []string
	for _, b := range s.from[frame] {
		places = append(places, b.From.At)
	}
	for _, u := range s.uses[frame] {
		places = append(places, u.at)
	}
	return slices.DeleteFunc(places, func(at string) bool { return at[0] != '/' })
}

// refused tells whether the recorded answer is an error: what is refused need not be
// there.
func (st *step) refused() bool {
	return st.Answer.Kind == wire.KindError || st.Status() >= 400
}

// param returns a string member of the params of the request.
func (st *step) param(name string) string {
	value, _ := wire.Text(wire.Get(st.Request.Params, name))
	return value
}

func quote(s string) json.RawMessage { return wire.Quote(s) }
