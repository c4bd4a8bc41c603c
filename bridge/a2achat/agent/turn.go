package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// turn is one message and what comes of it.
type turn struct {
	*Agent
	card    Card
	client  *a2ahttp.Client
	message Message
	header  http.Header
	model   *model
	pulse   *pulse
	unsure  bool    // a subscription has begun that did not say how the task stands
	late    []event // what came since
}

// toldError is an error of the one who is told.
type toldError struct{ error }

func (e toldError) Unwrap() error { return e.error }

// rest is how long a stream is read on after the turn is over: an agent may send the
// whole task once more before it closes (1.0, section 11.7).
const rest = 500 * time.Millisecond

// run makes the turn.
func (t *turn) run() error {
	if t.message.TaskID != "" {
		t.recall()
	}
	began := t.begin()
	if fatal(began) || began != nil && !t.model.came {
		return began
	}
	if !t.model.over() {
		if err := t.follow(began); err != nil {
			return err
		}
	}
	return t.model.finish()
}

// fatal tells whether an error ends the turn, whatever is known of the task: the one
// who is told does not want more, or the agent has refused.
func fatal(err error) bool {
	var told toldError
	var fault *a2ahttp.Fault
	var redirect *a2ahttp.RedirectError
	return errors.As(err, &told) || errors.As(err, &fault) || errors.As(err, &redirect)
}

// begin sends the message, once: what an agent says that it cannot read was not carried
// out, and is sent in the other spelling where there are two (0.3 over HTTP+JSON).
func (t *turn) begin() error {
	err := t.send()
	if t.card.proto() && !t.model.came && misread(err) {
		t.card.schema = true
		if err = t.send(); !misread(err) {
			t.learn(func(c *Card) { c.schema = true })
		}
	}
	return err
}

// misread tells whether the agent finds fault with the form of what was sent.
func misread(err error) bool {
	var f *a2ahttp.Fault
	if !errors.As(err, &f) {
		return false
	}
	switch f.HTTPStatus {
	case 0, http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity:
		const parse, request, params = -32700, -32600, -32602
		return f.Code == parse || f.Code == request || f.Code == params || f.Code == 0
	}
	return false
}

// learn notes what the turn has shown of the agent, for this turn and later ones.
func (t *turn) learn(note func(*Card)) {
	note(&t.card)
	t.Agent.card.learn(note)
}

// send makes the call that sends the message. One that the agent says it does not have
// was not carried out, and is made in the other way.
func (t *turn) send() error {
	if t.card.Streaming && !t.config.Blocking {
		err := t.stream(a2ahttp.SendStreamingMessage)
		if !unsupported(err) || t.model.state != "" {
			return err
		}
		t.model.warn("the card says that the agent streams, and it does not: " + t.clean(err.Error()))
		t.learn(func(c *Card) { c.Streaming = false })
	}
	params, err := t.card.params(t.message, t.config.AcceptedOutputModes, a2ahttp.SendMessage)
	if err != nil {
		return err
	}
	return t.call(t.pulse.ctx, a2ahttp.Request{Op: a2ahttp.SendMessage, Params: params, Header: t.header}, t.model.apply)
}

// unsupported tells whether the agent does not have the operation.
func unsupported(err error) bool {
	var f *a2ahttp.Fault
	if !errors.As(err, &f) {
		return false
	}
	const noMethod = -32601
	bare := f.Code == 0 && f.Reason == ""
	return f.Code == a2ahttp.CodeUnsupportedOperation || f.Code == noMethod ||
		bare && (f.HTTPStatus == http.StatusMethodNotAllowed || f.HTTPStatus == http.StatusNotImplemented)
}

// call makes a call that is not answered by a stream.
func (t *turn) call(ctx context.Context, r a2ahttp.Request, take func(event) error) error {
	reply, err := t.client.Send(ctx, r)
	t.pulse.beat()
	if err != nil {
		return err
	}
	e, err := readEvent(reply.Result, t.card.proto())
	if err != nil {
		return err
	}
	return take(e)
}

// stream makes a call that is answered by a stream, and reads that. It returns nil when
// the stream ended in order, whatever the state of the task.
func (t *turn) stream(op a2ahttp.Op) error {
	request := a2ahttp.Request{Op: op, Header: t.header, Lines: true}
	var err error
	if request.Params, err = t.card.params(t.message, t.config.AcceptedOutputModes, op); err != nil {
		return err
	}
	if op == a2ahttp.SubscribeToTask {
		request.Params = idParams(t.model.taskID)
	}
	s, err := t.client.Open(t.pulse.ctx, request)
	t.pulse.beat()
	var not *a2ahttp.NotStreamError
	if errors.As(err, &not) && not.Reply.Result != nil {
		e, bad := readEvent(not.Reply.Result, t.card.proto())
		if bad != nil {
			return err
		}
		t.model.warn("a call for a stream was answered with one document")
		return t.take(e)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	s.Alive = t.pulse.beat
	return t.read(s)
}

// read reads a stream to its end, or a little beyond the end of the turn.
func (t *turn) read(s *a2ahttp.Stream) error {
	for !t.model.over() {
		if ended, err := t.next(t.pulse.ctx, s); ended || err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(t.pulse.ctx, rest)
	defer cancel()
	for {
		ended, err := t.next(ctx, s)
		var told toldError
		switch {
		case errors.As(err, &told):
			return err
		case ended, err != nil: // what is over cannot break
			return nil
		}
	}
}

// next takes in the next event, and tells whether the stream has ended in order.
func (t *turn) next(ctx context.Context, s *a2ahttp.Stream) (ended bool, err error) {
	in, err := s.Next(ctx)
	t.pulse.beat()
	switch {
	case errors.Is(err, io.EOF):
		return true, nil
	case errors.Is(err, a2ahttp.ErrMalformed):
		t.skip(in.Data)
		return false, nil
	case err != nil:
		return false, err
	}
	e, err := readEvent(in.Payload, t.card.proto())
	if err != nil {
		t.skip(in.Data)
		return false, nil //nolint:nilerr // one event that cannot be read does no harm to the others
	}
	return e.final, t.take(e)
}

// skip passes over an event that cannot be read. Some agents end a stream as OpenAI
// does, or begin it with an empty event.
func (t *turn) skip(data []byte) {
	if text := string(data); text != "" && text != "[DONE]" {
		t.model.warn(fmt.Sprintf("an event cannot be read and was left out: %s", t.clean(fmt.Sprintf("%.200s", text))))
	}
}

// take takes in an event. After a subscription that does not begin with the task nobody
// knows what was missed, and artifacts wait until the task is known.
func (t *turn) take(e event) error {
	switch {
	case e.task != nil:
		t.unsure, t.late = false, nil
	case t.unsure && e.artifact != nil:
		t.late = append(t.late, e)
		return nil
	}
	return t.model.apply(e)
}

// idParams names a task, as every version does.
func idParams(taskID string) []byte {
	return wire.Object([]wire.Member{{Name: "id", Value: wire.Quote(taskID)}})
}
