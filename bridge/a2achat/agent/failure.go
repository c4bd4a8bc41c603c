package agent

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

var (
	errSilent = errors.New("the agent has been silent for too long")
	errLong   = errors.New("the turn takes too long")
)

// failure returns what a caller is told of an error: what went wrong in which of the
// two layers, HTTP and A2A, without secrets and without addresses that are none of his.
func (a *Agent) failure(ctx context.Context, err error, call errclass.Call) errclass.Error {
	e := a.classify(ctx, err, call)
	e.Message = "agent " + a.config.ID + ": " + a.clean(e.Message)
	return e
}

// clean takes the secrets out of a text, and most of one that is long.
func (a *Agent) clean(text string) string {
	const most = 2000
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return string(a.config.Redactor.Text([]byte(text)))
}

func (a *Agent) classify(ctx context.Context, err error, call errclass.Call) errclass.Error {
	var (
		known    errclass.Error
		fault    *a2ahttp.Fault
		redirect *a2ahttp.RedirectError
		long     *wire.TooLongError
		noStream *a2ahttp.NotStreamError
		noCard   *a2ahttp.NoCardError
	)
	cause := context.Cause(ctx)
	broke := func(f errclass.Fault, text string) errclass.Error {
		return errclass.FromTransport(f, errors.New(text), call)
	}
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errSilent), errors.Is(cause, errSilent):
		return broke(errclass.TimedOut, fmt.Sprintf("no word from it for %s", a.config.Timeout))
	case errors.Is(err, errLong), errors.Is(cause, errLong):
		return broke(errclass.TimedOut, fmt.Sprintf("its turn was not over after %s", a.config.Total))
	case cause != nil && errclass.FaultOf(cause) == errclass.TimedOut:
		return broke(errclass.TimedOut, "no answer in time")
	case cause != nil:
		return broke(errclass.Cancelled, "the caller has gone away")
	case errors.As(err, &noCard):
		return a.cardless(noCard, call)
	case errors.As(err, &redirect):
		return redirected(redirect, call)
	case errors.As(err, &fault):
		return a.refused(fault, call)
	case errors.As(err, &long):
		return broke(errclass.TooLong, fmt.Sprintf("its answer is over the limit of %d bytes", limitOf(a.config.Limit)))
	case errors.As(err, &noStream):
		return broke(errclass.Malformed, "a call for a stream was answered with "+kindOf(noStream.ContentType)+", which is neither a stream nor an A2A answer")
	case errors.Is(err, a2ahttp.ErrMalformed), errors.Is(err, errNoEvent):
		return broke(errclass.Malformed, "what it answered is no A2A answer")
	case errors.Is(err, a2ahttp.ErrNoInterface), errors.Is(err, a2ahttp.ErrForeignOrigin):
		return errclass.New(errclass.NotFound, errclass.Bridge, errclass.NotRun, err.Error(), call)
	case errors.Is(err, transport.ErrUnreachable), errclass.FaultOf(err) == errclass.Unreachable:
		return broke(errclass.Unreachable, "it cannot be reached: "+reason(err))
	}
	return broke(errclass.FaultOf(err), "the connection ended before its answer did: "+reason(err))
}

// cardless tells that there is no card, by what the likeliest place said.
func (a *Agent) cardless(e *a2ahttp.NoCardError, call errclass.Call) errclass.Error {
	told := errclass.New(errclass.NotFound, errclass.Upstream, errclass.NotRun, "", call)
	var fault *a2ahttp.Fault
	if errors.As(e.Tried[0].Err, &fault) {
		told = errclass.FromHTTP(fault.HTTPStatus, fault.Header, a.config.Now(), call)
	}
	told.Message = e.Error()
	return told
}

func limitOf(limit int) int {
	if limit > 0 {
		return limit
	}
	return wire.DefaultLimit
}

func kindOf(mediaType string) string {
	if mediaType == "" {
		return "no content type"
	}
	return mediaType
}

// reason says why a connection failed, without addresses.
func reason(err error) string {
	var (
		dns   *net.DNSError
		errno syscall.Errno
		host  x509.HostnameError
		cert  *tls.CertificateVerificationError
		op    *net.OpError
	)
	switch {
	case errors.As(err, &dns):
		return "its host name is not known"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &host):
		return "its certificate is for another host"
	case errors.As(err, &cert):
		return "its certificate is not trusted"
	case errors.As(err, &op) && op.Timeout():
		return "no connection in time"
	}
	return "the connection broke"
}

// refused tells of an error that the agent gave. A status that means something by
// itself comes before the code in the body: a gateway may write anything there.
func (a *Agent) refused(f *a2ahttp.Fault, call errclass.Call) errclass.Error {
	now := a.config.Now()
	if f.Code != 0 && f.HTTPStatus/100 == 2 || f.Code != 0 && !tells(f.HTTPStatus) {
		e := errclass.FromA2A(int(f.Code), f.Message, f.Data, now, call)
		if e.Message == "" {
			e.Message = fmt.Sprintf("it answered with error %d", f.Code)
		}
		return e
	}
	if f.HTTPStatus == 0 || f.HTTPStatus/100 == 2 { // in a stream
		e := errclass.FromA2AREST(500, nil, f.Raw, now, call)
		if f.Message != "" {
			e.Message = f.Message
		}
		return e
	}
	e := errclass.FromA2AREST(f.HTTPStatus, f.Header, f.Raw, now, call)
	if f.Code != 0 && f.Message != "" {
		e.Message = fmt.Sprintf("%s (HTTP status %d)", f.Message, f.HTTPStatus)
	}
	return e
}

// tells tells whether the status says what is wrong, whatever the body says.
func tells(status int) bool {
	switch status {
	case 401, 402, 403, 407, 413, 429, 503:
		return true
	}
	return false
}

// redirected tells of a redirect, which is a matter of configuration: a body is not
// sent to a place that nobody has named.
func redirected(r *a2ahttp.RedirectError, call errclass.Call) errclass.Error {
	text := fmt.Sprintf("it answers with HTTP status %d and redirects to %s", r.Status, r.To)
	switch {
	case r.To == "":
		text = fmt.Sprintf("it answers with HTTP status %d and redirects to a place that is no URL", r.Status)
	case strings.TrimSuffix(r.To, "/") == strings.TrimSuffix(r.From, "/"):
		text += "; the likely cause is the slash at the end of the URL"
	case strings.HasPrefix(r.To, "https://") && strings.HasPrefix(r.From, "http://"):
		text += "; the likely cause is http in place of https"
	}
	option := "endpoint_url"
	if r.Method == http.MethodGet {
		option = "card_url"
	}
	e := errclass.New(errclass.NotFound, errclass.Upstream, errclass.NotRun,
		text+"; that is not followed: set "+option+" to the exact URL", call)
	e.Context.UpstreamCode = r.Status
	return e
}
