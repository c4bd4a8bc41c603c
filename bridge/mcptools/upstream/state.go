package upstream

import (
	"context"
	"encoding/json"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/mcp"
)

// Phase says how it stands with a server.
type Phase string

// The phases.
const (
	Idle     Phase = "idle"     // nobody needed it yet
	Starting Phase = "starting" // it is being started or reached
	Ready    Phase = "ready"    // the conversation stands
	Failed   Phase = "failed"   // it could not be started or reached, or was lost, and is tried again when needed
	Closed   Phase = "closed"
)

// State is how it stands with a server, under the bridge's own credential.
type State struct {
	Phase        Phase
	Err          string // why it failed, without secrets; "" else
	Transport    string // as package dial names it; sse where the server knows nothing newer
	Revision     string // the negotiated one; "" before the first conversation
	Server       mcp.Implementation
	Capabilities json.RawMessage
	Starts       int // conversations that were begun so far
	InFlight     int // calls under way
	Waiting      int // calls that wait for their turn
	Sessions     int // callers with a credential of their own
}

// State returns how it stands, and waits for nothing.
func (u *Upstream) State() State {
	st := u.own.state()
	st.InFlight, st.Waiting = u.gate.count()
	st.Sessions = u.pool.count()
	return st
}

func (s *slot) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{Phase: Idle, Transport: s.way.Transport, Starts: s.starts}
	l := s.now
	switch {
	case s.closed:
		st.Phase = Closed
	case l != nil && l.ended() == nil:
		st.Phase = Ready
		st.Revision, st.Server, st.Capabilities = l.client.Revision, l.client.Server, l.client.Capabilities
		if l.client.Older {
			st.Transport = "sse"
		}
	case s.starting != nil:
		st.Phase = Starting
	case l != nil:
		st.Phase, st.Err = Failed, s.text(l.ended().Error())
	case s.last != nil:
		st.Phase, st.Err = Failed, s.text(s.last.Error())
	}
	return st
}

// Ready starts or reaches the server where that was not done, asks it for a sign of life,
// and says why it gave none. The error is an errclass.Error.
func (u *Upstream) Ready(ctx context.Context) error {
	reads := errclass.Call{ReadOnly: true}
	s := u.own
	method := "ping"
	l, err := s.acquire(ctx)
	if err != nil {
		return s.classify(&notRunError{err}, reads)
	}
	if l.client.Modern() {
		method = "server/discover"
	}
	s.release(l)
	reply, err := s.exchange(ctx, request{method: method})
	switch {
	case err != nil:
		return s.classify(err, reads)
	case reply.Error != nil && reply.Error.Code != -32601: // who refuses the question is alive
		return s.refused(reply.Error, reply.Delivery, reads)
	}
	return nil
}
