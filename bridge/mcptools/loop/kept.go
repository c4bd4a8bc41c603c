package loop

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/wire"
)

// The bounds of what is kept for clients that do not keep it themselves.
const (
	keepTime  = time.Hour
	keepCount = 1000
	keepSize  = 64 << 20 // bytes
)

// kept are the messages of rounds that ended in calls of a client's own tools: what the
// client sends back of such a round is its own calls only. The zero value is ready for use.
type kept struct {
	mu    sync.Mutex
	byID  map[string]*round
	order []*round // the oldest first
	size  int
}

// round is what belongs in the place of the assistant's message with the calls.
type round struct {
	key      string
	messages []json.RawMessage
	at       int // where the assistant's message with the calls stands in them
	handed   int // calls that the client was given
	size     int
	until    time.Time
}

func keyOf(caller, id string) string { return caller + "\x00" + id }

// keep remembers the messages under the first of the handed calls, if there are more than
// the client is given.
func (k *kept) keep(caller string, handed []openai.ToolCall, messages []json.RawMessage, now time.Time) {
	one := &round{key: keyOf(caller, handed[0].ID), messages: messages, until: now.Add(keepTime)}
	for _, m := range messages {
		one.size += len(m)
	}
	one.handed, one.at = len(handed), len(messages)-1
	for one.at > 0 && roleOf(messages[one.at]) != "assistant" {
		one.at--
	}
	if len(messages) < 2 || one.size > keepSize/4 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byID == nil {
		k.byID = map[string]*round{}
	}
	k.byID[one.key], k.order, k.size = one, append(k.order, one), k.size+one.size
	for len(k.order) > keepCount || k.size > keepSize || k.order[0].until.Before(now) {
		delete(k.byID, k.order[0].key)
		k.size -= k.order[0].size
		k.order = k.order[1:]
	}
}

// restore puts what is kept in the place of the messages that it was kept for, unless the
// client has done so itself.
func (k *kept) restore(caller string, messages []json.RawMessage, now time.Time) []json.RawMessage {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.byID) == 0 {
		return messages
	}
	var all []json.RawMessage
	for _, m := range messages {
		one := k.find(caller, m)
		if one == nil || one.until.Before(now) || one.follows(all) {
			all = append(all, m)
			continue
		}
		all = append(all, one.messages...)
	}
	return all
}

// find returns the round that the message ended. One with further calls is ended already.
func (k *kept) find(caller string, message json.RawMessage) *round {
	calls := elements(wire.Get(message, "tool_calls"))
	if len(calls) == 0 {
		return nil
	}
	id, _ := wire.Text(wire.Get(calls[0], "id"))
	one := k.byID[keyOf(caller, id)]
	if one == nil || len(calls) != one.handed {
		return nil
	}
	return one
}

// follows tells whether the messages end in that which stands before the calls.
func (r *round) follows(messages []json.RawMessage) bool {
	if r.at == 0 || len(messages) == 0 {
		return false
	}
	mine, last := r.messages[r.at-1], messages[len(messages)-1]
	for _, name := range []string{"role", "tool_call_id", "content"} {
		one, _ := wire.Text(wire.Get(mine, name))
		if other, ok := wire.Text(wire.Get(last, name)); !ok || one != other {
			return false
		}
	}
	return true
}

func roleOf(message json.RawMessage) string {
	role, _ := wire.Text(wire.Get(message, "role"))
	return role
}
