package a2a

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// exchange is one HTTP request and what came back, as a monitor reads it.
type exchange struct {
	trace    conformance.Trace
	op       a2ahttp.Op   // what was asked for; "" when it is no operation of the version
	request  wire.Frame   // the head
	asked    wire.Message // JSON-RPC
	params   json.RawMessage
	response wire.Frame // the head; zero when none came
	answers  []answered // in order
}

// answered is one document that the agent sent: a body, or the data of an event.
type answered struct {
	frame   wire.Frame
	raw     []byte
	message wire.Message // JSON-RPC
}

// exchanges groups the frames of a conversation. What is no request to the agent's
// interface, such as fetching the card, is left out.
func exchanges(t conformance.Trace) []*exchange {
	var order []*exchange
	byNumber := map[int]*exchange{}
	for _, f := range t.Frames {
		x := byNumber[f.Exchange]
		if x == nil {
			x = &exchange{trace: t}
			byNumber[f.Exchange] = x
			order = append(order, x)
		}
		x.add(f)
	}
	kept := order[:0]
	for _, x := range order {
		if x.identify() {
			kept = append(kept, x)
		}
	}
	return kept
}

func (x *exchange) add(f wire.Frame) {
	switch {
	case f.Kind == wire.FrameRequest:
		x.request = f
	case f.Kind == wire.FrameResponse:
		x.response = f
	case f.Dir == wire.Out && f.Kind == wire.FrameBody:
		x.asked, x.params = wire.Parse(f.Data), f.Data
	case f.Dir == wire.In && f.Payload() != nil:
		x.answers = append(x.answers, answered{f, f.Payload(), wire.Parse(f.Payload())})
	}
}

// identify finds out what was asked for; it tells whether this is a call at all.
func (x *exchange) identify() bool {
	if x.rpc() {
		x.op, x.params = opOf(x.asked.Method, x.trace.Revision), x.asked.Params
		return x.request.Method == http.MethodPost
	}
	path, query, _ := strings.Cut(x.request.URL, "?")
	x.op = opAt(x.request.Method, path)
	if x.request.Method == http.MethodGet {
		x.params = queryParams(query)
	}
	return x.op != ""
}

func (x *exchange) rpc() bool { return x.trace.Transport == transportName(a2ahttp.JSONRPC) }

// ops lists all operations.
func ops() []a2ahttp.Op {
	return []a2ahttp.Op{
		a2ahttp.SendMessage, a2ahttp.SendStreamingMessage, a2ahttp.GetTask, a2ahttp.ListTasks, a2ahttp.CancelTask,
		a2ahttp.SubscribeToTask, a2ahttp.CreatePushConfig, a2ahttp.GetPushConfig, a2ahttp.ListPushConfigs,
		a2ahttp.DeletePushConfig, a2ahttp.GetExtendedCard,
	}
}

func opOf(method, version string) a2ahttp.Op {
	for _, op := range ops() {
		if method != "" && a2ahttp.Method(op, version) == method {
			return op
		}
	}
	return ""
}

// opAt tells the operation of an HTTP+JSON request by the end of its path.
func opAt(verb, path string) a2ahttp.Op {
	segments := strings.Split(path, "/")
	last := segments[len(segments)-1]
	before := segments[max(0, len(segments)-2)]
	_, action, _ := strings.Cut(last, ":")
	switch {
	case last == "message:send":
		return a2ahttp.SendMessage
	case last == "message:stream":
		return a2ahttp.SendStreamingMessage
	case before == "tasks" && action == "cancel":
		return a2ahttp.CancelTask
	case before == "tasks" && action == "subscribe":
		return a2ahttp.SubscribeToTask
	case last == "extendedAgentCard":
		return a2ahttp.GetExtendedCard
	case last == "tasks":
		return a2ahttp.ListTasks
	case before == "tasks" && last != "":
		return a2ahttp.GetTask
	}
	return pushOpAt(verb, before, last)
}

func pushOpAt(verb, before, last string) a2ahttp.Op {
	const configs = "pushNotificationConfigs"
	switch {
	case last == configs && verb == http.MethodPost:
		return a2ahttp.CreatePushConfig
	case last == configs:
		return a2ahttp.ListPushConfigs
	case before == configs && verb == http.MethodDelete:
		return a2ahttp.DeletePushConfig
	case before == configs:
		return a2ahttp.GetPushConfig
	}
	return ""
}

// queryParams makes an object of a query, with every value a string.
func queryParams(query string) json.RawMessage {
	o := object{}
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			o[name] = value
		}
	}
	return encoded(o)
}

// stream tells whether the answer is an event stream.
func (x *exchange) stream() bool {
	return transport.MediaType(x.response.Header) == "text/event-stream"
}

// succeeded tells whether the head of the answer says so.
func (x *exchange) succeeded() bool { return x.response.Status/100 == 2 }

// result returns what an answer carries when it is no error.
func (x *exchange) result(a answered) (json.RawMessage, bool) {
	if x.rpc() {
		return a.message.Result, a.message.Kind == wire.KindResult
	}
	if !x.succeeded() || !json.Valid(a.raw) || x.streamFault(a) {
		return nil, false
	}
	return a.raw, true
}

// streamFault tells whether an event of an HTTP+JSON stream tells of an error.
func (x *exchange) streamFault(a answered) bool {
	return x.stream() && wire.Get(a.raw, "error") != nil
}

// seq lists the numbers of the frames that show the exchange up to an answer.
func (x *exchange) seq(a answered) []int {
	var numbers []int
	for _, f := range x.trace.Frames {
		if f.Exchange == x.request.Exchange && f.Kind != wire.FrameEvent && f.Seq < a.frame.Seq {
			numbers = append(numbers, f.Seq)
		}
	}
	return append(numbers, a.frame.Seq)
}

// found adds a violation to a judgement.
func (x *exchange) found(j *conformance.Judgement, a answered, expected, actual string) {
	j.Violations = append(j.Violations, conformance.Violation{Expected: expected, Actual: actual, Frames: x.seq(a)})
}
