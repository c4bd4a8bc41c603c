package loop

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// asking is what a request to a model is: it changes nothing.
var asking = errclass.Call{ReadOnly: true}

// trouble is a failure of the model server.
func trouble(class errclass.Class, message string) error {
	return errclass.New(class, errclass.Upstream, errclass.NotRun, message, asking)
}

// bound is the end of what one request may take. Another try would come to the same end.
func bound(code, message string) error {
	e := errclass.New(errclass.Conflict, errclass.Bridge, errclass.NotRun, message, errclass.Call{})
	return openai.Failure{Cause: e, Code: code}
}

// broken is a request to the model server that was not answered to the end. The text of the
// error is left out: it holds the address.
func (l *Client) broken(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e := errclass.New(errclass.Timeout, errclass.Bridge, errclass.NotRun, "the model came to no end within "+l.c.Time.String(), asking)
		return openai.Failure{Cause: e, Code: "loop_time"}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errclass.FaultOf(err) == errclass.Unreachable:
		return trouble(errclass.Transient, "the model server cannot be reached")
	case errclass.FaultOf(err) == errclass.TimedOut:
		return trouble(errclass.Timeout, "the model server does not answer")
	}
	return trouble(errclass.Transient, "the answer of the model server broke off; none of the calls in it was made")
}

// refused is a response of the model server that is no success.
func (l *Client) refused(res *http.Response) error {
	const most = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(res.Body, most)) // as much as came
	e := errclass.FromHTTP(res.StatusCode, res.Header, l.c.Now(), asking)
	e.Message = strings.Replace(e.Message, "the peer", "the model server", 1)
	switch kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); {
	case e.Class == errclass.Auth:
		e.Message += "; it does not take the key of the bridge"
	case res.StatusCode/100 == 3:
		e.Message += "; redirects are not followed, so that the bridge needs the address that it leads to"
	case strings.HasSuffix(kind, "json"):
		return l.withWords(e, wire.Get(body, "error"))
	}
	return e
}

// midStream is an error inside a stream; some servers say in it which status it would have
// been.
func (l *Client) midStream(said json.RawMessage) error {
	status := http.StatusBadGateway
	if json.Unmarshal(wire.Get(said, "code"), &status) != nil || status < 400 || status > 599 {
		status = http.StatusBadGateway
	}
	e := errclass.FromHTTP(status, http.Header{}, l.c.Now(), asking)
	e.Message = "the model server failed in the middle of its answer; none of the calls in it was made"
	return l.withWords(e, said)
}

// withWords adds what the server says of the failure itself, without secrets.
func (l *Client) withWords(e errclass.Error, said json.RawMessage) error {
	const most = 500
	text, _ := wire.Text(wire.Get(said, "message"))
	if text == "" {
		text, _ = wire.Text(said)
	}
	if text = string(l.redact.Text([]byte(text))); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	if text != "" {
		e.Message += ": " + text
	}
	f := openai.Failure{Cause: e}
	if code, _ := wire.Text(wire.Get(said, "code")); e.Class != errclass.Auth && code != "" && code == word(code) {
		f.Code = code
	}
	if param, _ := wire.Text(wire.Get(said, "param")); len(param) < most {
		f.Param = string(l.redact.Text([]byte(param)))
	}
	return f
}

// word returns a text that can stand in a message as it is, such as a code; else "unknown".
func word(s string) string {
	const most = 64
	if len(s) > most || strings.IndexFunc(s, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) >= 0 {
		return "unknown"
	}
	return s
}

// told is the failure as the client gets it: what was done before it stands beside it, and
// whether to come again goes by that too.
func (r *run) told(failed error) error {
	f, ok := errors.AsType[openai.Failure](failed)
	if !ok {
		if f.Cause, ok = errors.AsType[errclass.Error](failed); !ok {
			return failed // the client is gone, or a fault of the bridge
		}
	}
	outcome := errclass.NotRun
	if len(r.reports) > 0 {
		outcome = errclass.Failed
		raw, err := wire.Marshal(r.account(true))
		if err != nil {
			return errors.Join(failed, err)
		}
		f.Beside = []wire.Member{{Name: "peerwright", Value: raw}}
	}
	was := f.Cause
	f.Cause = errclass.New(was.Class, was.Context.Source, outcome, was.Message, errclass.Call{ReadOnly: !r.harmful})
	f.Cause.Context.UpstreamCode, f.Cause.Context.ResetAt = was.Context.UpstreamCode, was.Context.ResetAt
	if f.Cause.Retryable {
		f.Cause.SuggestedBackoff = was.SuggestedBackoff
	}
	return f
}
