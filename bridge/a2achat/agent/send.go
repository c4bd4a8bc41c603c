package agent

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// Send sends a message, and tells what the agent says until its turn is over: the task
// is final or waits for the user. It returns how that ended, which may be a failure of
// the task: see Outcome.Failure.
//
// The updates are told in order by the calling goroutine. An error of on ends the turn
// and is returned. Any other error is an errclass.Error, its message free of secrets:
// the agent refused the call, could not be reached, or broke off; then the updates told
// so far are not the whole answer. The end of the context ends the turn, and leaves the
// task to go on: see Cancel.
func (a *Agent) Send(ctx context.Context, m Message, on func(Update) error) (Outcome, error) {
	p := newPulse(ctx, a.config.Timeout, a.config.Total)
	defer p.stop()
	model := newModel(func(u Update) error {
		p.hold() // a client that reads slowly is not the agent's silence
		defer p.beat()
		if err := on(u); err != nil {
			return toldError{err}
		}
		return nil
	})
	model.contextID, model.taskID = m.ContextID, m.TaskID
	model.begun = [2]string{m.ContextID, m.TaskID}
	err := a.turn(p, m, model)
	var told toldError
	if err == nil || errors.As(err, &told) {
		return model.outcome(), told.error
	}
	a.suspect(err)
	failure := a.failure(p.ctx, err, errclass.Call{})
	if broke := model.flush(); errors.As(broke, &told) {
		return model.outcome(), told.error
	}
	outcome := model.outcome()
	outcome.Detail = hush(a.clean(err.Error()), m.Header)
	failure.Message = hush(failure.Message, m.Header)
	return outcome, failure
}

// hush takes the values of a caller's headers out of a text: the agent may have quoted
// them.
func hush(text string, caller http.Header) string {
	r := redact.New([]byte(rand.Text()))
	for name, values := range caller {
		for _, value := range values {
			r.Known(redact.HeaderSecrets(name, value)...).Known(value)
		}
	}
	return string(r.Text([]byte(text)))
}

func (a *Agent) turn(p *pulse, m Message, model *model) error {
	card, err := a.card.get(p.ctx, a)
	if err != nil {
		return err
	}
	t := &turn{Agent: a, card: card, message: m, model: model, pulse: p}
	if t.header, err = a.header(card, m.Header); err != nil {
		return err
	}
	if t.client, err = a.client(card.Interface); err != nil {
		return err
	}
	return t.run()
}

// header returns the headers of a call: they go to the origin that the user has named,
// and to no other that a card may name.
func (a *Agent) header(card Card, caller http.Header) (http.Header, error) {
	header := http.Header{}
	for _, part := range []http.Header{a.config.Header, caller} {
		for name, values := range part {
			header[http.CanonicalHeaderKey(name)] = values
		}
	}
	if u, err := url.Parse(a.config.CardURL); err == nil && u.User != nil && header.Get("Authorization") == "" && a.ownsCard() {
		password, _ := u.User.Password()
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
	}
	if a.config.EndpointURL != "" || card.Assumed != "" {
		return header, nil
	}
	return header, card.found.Admits(card.Interface, header)
}

// suspect has the card fetched anew after a failure that another card may mend: the
// agent has moved, or speaks another version now.
func (a *Agent) suspect(err error) {
	var fault *a2ahttp.Fault
	var redirect *a2ahttp.RedirectError
	switch {
	case errors.Is(err, transport.ErrUnreachable), errors.As(err, &redirect):
	case errors.As(err, &fault) && (fault.Code == a2ahttp.CodeVersionNotSupported || fault.Code == -32601 ||
		fault.Code == 0 && fault.HTTPStatus == http.StatusNotFound):
	default:
		return
	}
	a.card.doubt()
}
