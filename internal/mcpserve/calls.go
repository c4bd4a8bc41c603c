package mcpserve

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/peerwright/peerwright/internal/wire"
)

// tag is what the SDK is given in place of the client's id: a number that no
// other call has, the method, and the id as the client wrote it. The answer gives
// it back, so the id keeps its type and digits, and two calls are never mixed up.
type tag struct {
	seq    int
	method string
	id     wire.ID
	token  string // its progress token as JSON text, "" when it has none; not part of the text form
}

func (t tag) String() string { return strconv.Itoa(t.seq) + "|" + t.method + "|" + t.id.String() }

// wireID is the tag as an id, always a string.
func (t tag) wireID() wire.ID { return wire.StringID(t.String()) }

// parseTag reads the tag in raw, the JSON string that wireID made.
func parseTag(raw []byte) (tag, bool) {
	s, ok := wire.Text(raw)
	if !ok {
		return tag{}, false
	}
	parts := strings.SplitN(s, "|", 3)
	if len(parts) != 3 {
		return tag{}, false
	}
	seq, err := strconv.Atoi(parts[0])
	return tag{seq: seq, method: parts[1], id: wire.RawID([]byte(parts[2]))}, err == nil
}

// calls are the requests of one conversation that wait for their answer. The zero
// calls is ready to use.
type calls struct {
	mu      sync.Mutex
	seq     int
	live    map[string]tag        // by the client's id
	dropped map[int]chan struct{} // cancelled: their answers go nowhere; closed once they came
	gone    []int                 // those of them that came, the oldest first
}

// begin takes a request on; it fails when its id is that of a call that still
// waits.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/index#requests
func (c *calls) begin(m wire.Message) (tag, *fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, taken := c.live[key(m.ID)]; taken {
		return tag{}, faultf(codeInvalidRequest, "invalid request: id %s is in use by a request that waits for its answer", m.ID)
	}
	if c.live == nil {
		c.live = map[string]tag{}
	}
	c.seq++
	t := tag{c.seq, m.Method, m.ID, key(wire.RawID(wire.Path(m.Params, "_meta", "progressToken")))}
	c.live[key(m.ID)] = t
	return t, nil
}

// end forgets a request that has been answered. It tells whether the request was
// waiting until now.
func (c *calls) end(t tag) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live[key(t.id)].seq != t.seq {
		return false
	}
	delete(c.live, key(t.id))
	return true
}

// cancel marks the request with that id as cancelled, and returns its tag. It
// returns false when there is none, or when it cannot be cancelled: initialize is
// the one.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation#behavior-requirements
func (c *calls) cancel(id json.RawMessage) (tag, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.live[key(wire.RawID(id))]
	if !ok || t.method == "initialize" {
		return tag{}, false
	}
	delete(c.live, key(t.id))
	if c.dropped == nil {
		c.dropped = map[int]chan struct{}{}
	}
	c.dropped[t.seq] = make(chan struct{})
	return t, true
}

// isDropped tells whether nothing more may be said about the request.
func (c *calls) isDropped(t tag) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, yes := c.dropped[t.seq]
	return yes
}

// settled is closed once the SDK has answered the cancelled request.
func (c *calls) settled(t tag) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped[t.seq]
}

// mostGone is how many cancelled calls are remembered once the SDK has answered them: what
// it said is on its way out for a moment yet.
const mostGone = 1000

// settle notes that the SDK has answered, or never will.
func (c *calls) settle(t tag) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch, cancelled := c.dropped[t.seq]
	if !cancelled {
		return
	}
	select {
	case <-ch: // it is known
		return
	default:
		close(ch)
	}
	if c.gone = append(c.gone, t.seq); len(c.gone) > mostGone {
		delete(c.dropped, c.gone[0])
		c.gone = c.gone[1:]
	}
}

// awaits tells whether a request that waits has that progress token.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress#behavior-requirements
func (c *calls) awaits(token json.RawMessage) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.live {
		if t.token != "" && t.token == key(wire.RawID(token)) {
			return true
		}
	}
	return false
}

// all lists the requests that wait.
func (c *calls) all() []tag {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]tag, 0, len(c.live))
	for _, t := range c.live {
		list = append(list, t)
	}
	return list
}

// key is the id by value: two spellings of one string are one id.
func key(id wire.ID) string {
	if s, ok := wire.Text([]byte(id.String())); ok {
		return string(wire.Quote(s))
	}
	return id.String()
}
