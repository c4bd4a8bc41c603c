package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/transport/websocket"
	"github.com/peerwright/peerwright/internal/wire"
)

// classify says what a call is that came to no answer.
func (s *slot) classify(err error, known errclass.Call) errclass.Error {
	if judged, ok := errors.AsType[errclass.Error](err); ok {
		return judged
	}
	e := s.failure(err, known)
	var before *notRunError
	if errors.As(err, &before) || errors.Is(err, transport.ErrNotSent) {
		e.Context.Outcome = errclass.NotRun
	}
	var start *startError
	if errors.As(err, &start) && start.wait > 0 && e.Context.ResetAt.IsZero() {
		e.Context.ResetAt = s.u.config.Now().Add(start.wait)
		if e.Retryable {
			e.SuggestedBackoff = start.wait
		}
	}
	e.Message = s.text(e.Message)
	return e
}

// own are the refusals of the bridge itself.
var own = []struct {
	err   error
	class errclass.Class
}{
	{errBusy, errclass.RateLimit},
	{errCrowded, errclass.RateLimit},
	{errClosing, errclass.Transient},
}

func (s *slot) failure(err error, known errclass.Call) errclass.Error {
	for _, o := range own {
		if errors.Is(err, o.err) {
			return errclass.New(o.class, errclass.Bridge, errclass.NotRun, fmt.Sprintf("%v (upstream %s)", o.err, s.u.config.ID), known)
		}
	}
	var status *mcphttp.StatusError
	var handshake *websocket.HandshakeError
	var refused *mcp.HandshakeError
	var revision *mcp.RevisionError
	switch {
	case errors.As(err, &status):
		return s.ofStatus(status.Status, status.Header, status.Body, known)
	case errors.As(err, &handshake):
		return s.ofStatus(handshake.Status, handshake.Header, []byte(handshake.Body), known)
	case errors.As(err, &refused):
		return s.refused(refused.Cause, transport.Delivery{}, known)
	case errors.As(err, &revision):
		return errclass.New(errclass.NotFound, errclass.Transport, errclass.NotRun, s.told(err.Error()), known)
	}
	e := errclass.FromTransport(faultOf(err), err, known)
	e.Message = s.told(err.Error())
	return e
}

// faultOf finds the fault in what our own layers say, and leaves the rest to errclass.
func faultOf(err error) errclass.Fault {
	var long *wire.TooLongError
	var kind *mcphttp.ContentTypeError
	switch {
	case errors.As(err, &long):
		return errclass.TooLong
	case errors.Is(err, transport.ErrUnreachable):
		return errclass.Unreachable
	case errors.Is(err, rpc.ErrNoAnswer), errors.As(err, &kind):
		return errclass.Malformed
	}
	return errclass.FaultOf(err)
}

// told names the server, so that a reader with several knows which one it is.
func (s *slot) told(said string) string { return fmt.Sprintf("upstream %s: %s", s.u.config.ID, said) }

// decisive are the statuses that say more than any JSON-RPC error beside them.
var decisive = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
	http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// ofStatus classifies an HTTP answer that is no success: by the JSON-RPC error in its
// body where that says more, else by the status.
func (s *slot) ofStatus(status int, h http.Header, body []byte, known errclass.Call) errclass.Error {
	if m := wire.Parse(body); m.Error != nil && m.Error.Code != 0 {
		return s.refused(m.Error, transport.Delivery{Status: status, Header: h}, known)
	}
	e := errclass.FromHTTP(status, h, s.u.config.Now(), known)
	if said := bodyText(h, body); said != "" {
		e.Message = said
	}
	if status/100 == 3 {
		e.Message = s.redirected(status, h)
	}
	return e
}

// refused classifies a JSON-RPC error, and the HTTP status that it came with.
func (s *slot) refused(fault *wire.Error, d transport.Delivery, known errclass.Call) errclass.Error {
	now := s.u.config.Now()
	e := errclass.FromMCP(int(fault.Code), fault.Message, fault.Data, now, known)
	if slices.Contains(decisive, d.Status) {
		e = errclass.FromHTTP(d.Status, d.Header, now, known)
		if strings.TrimSpace(fault.Message) != "" {
			e.Message = fault.Message
		}
	}
	e.Message = s.text(e.Message)
	return e
}

func (s *slot) malformed(message string, known errclass.Call) errclass.Error {
	return errclass.FromTransport(errclass.Malformed, errors.New(s.text(s.told(message))), known)
}

// asksForInput answers a result that wants something of a user or a model, which this
// client never said it could give: the state of things does not allow the call.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
func (s *slot) asksForInput(result json.RawMessage, known errclass.Call) errclass.Error {
	var wanted []string
	members, _ := wire.Members(wire.Get(result, "inputRequests")) // none are none
	for _, m := range members {
		method, _ := wire.Text(wire.Get(m.Value, "method"))
		wanted = append(wanted, method)
	}
	message := fmt.Sprintf("the tool asks for input (%s), which cannot be given through this bridge", strings.Join(wanted, ", "))
	return errclass.New(errclass.Conflict, errclass.Upstream, errclass.Failed, s.text(message), known)
}
