package mcp

import (
	"net/http"
	"slices"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
)

// asked200 is one HTTP exchange: a request in a session, and its answer in events
// under the ids.
func asked200(exchange int, session string, ids ...string) []wire.Frame {
	frames := []wire.Frame{
		{Exchange: exchange, Dir: wire.Out, Kind: wire.FrameRequest, Method: http.MethodPost, Header: http.Header{"Mcp-Session-Id": {session}}},
		{Exchange: exchange, Dir: wire.Out, Kind: wire.FrameBody, Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)},
		{Exchange: exchange, Dir: wire.In, Kind: wire.FrameResponse, Status: http.StatusOK, Header: http.Header{}},
	}
	for _, id := range ids {
		event := &wire.Event{ID: id, HasID: true, Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), Dispatched: true}
		frames = append(frames, wire.Frame{Exchange: exchange, Dir: wire.In, Kind: wire.FrameEvent, Event: event})
	}
	return frames
}

// A handshake that tries both eras makes two connections, which number their
// exchanges alike, and servers may number their events alike in each session.
func TestStreamsOfTwoConnectionsAreKeptApart(t *testing.T) {
	for name, c := range map[string]struct {
		first, second []wire.Frame
		after, twice  int // violations of nothing-after-the-answer and event-ids-unique
	}{
		"one answer each":           {asked200(1, "", "0"), asked200(1, "s", "0"), 0, 0},
		"two messages on a stream":  {asked200(1, "", "0"), asked200(1, "s", "0", "1"), 1, 0},
		"an id twice on a stream":   {asked200(1, "", "0"), asked200(1, "s", "0", "0"), 1, 1},
		"an id twice in a session":  {asked200(1, "s", "0"), asked200(2, "s", "0"), 0, 1},
		"an id once in each of two": {asked200(1, "r", "0"), asked200(2, "s", "0"), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			frames := slices.Concat(c.first, c.second)
			for i := range frames {
				frames[i].Seq = i + 1
			}
			trace := conformance.Trace{Frames: apart(frames)}
			if got := len(nothingAfterTheAnswer().Judge(trace).Violations); got != c.after {
				t.Errorf("%d messages came after an answer, not %d", got, c.after)
			}
			if got := len(uniqueEventIDs().Judge(trace).Violations); got != c.twice {
				t.Errorf("%d event ids came twice, not %d", got, c.twice)
			}
		})
	}
}
