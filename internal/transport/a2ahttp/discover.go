package a2ahttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/transport"
)

// The well-known paths of an agent card: that of 0.3 and later, and that of 0.2.
//
// https://a2a-protocol.org/v1.0.0/specification/#82-discovery-mechanisms
const (
	WellKnown    = "/.well-known/agent-card.json"
	OldWellKnown = "/.well-known/agent.json"
)

// Found is an agent card and how it was found.
type Found struct {
	Card  Card
	URL   string    // where it was asked for, without a user; Reply.Redirect says where that led
	Reply Reply     // the answer that held it
	Tried []Attempt // the places that had none, in order
}

// Attempt is a place where an agent card was looked for and not found.
type Attempt struct {
	URL string // without a user
	Err error  // a *Fault, or what was wrong with what was there
}

// NoCardError says that no agent card was found, and where it was looked for.
type NoCardError struct{ Tried []Attempt }

// Error implements the error interface.
func (e *NoCardError) Error() string {
	lines := make([]string, len(e.Tried))
	for i, t := range e.Tried {
		lines[i] = t.URL + ": " + t.Err.Error()
	}
	return "no agent card (" + strings.Join(lines, "; ") + "); give the URL of the card, or of the agent that has it"
}

// Unwrap returns the errors of all attempts.
func (e *NoCardError) Unwrap() []error {
	errs := make([]error, len(e.Tried))
	for i, t := range e.Tried {
		errs[i] = t.Err
	}
	return errs
}

// Discover finds the agent card: at rawURL when that names a JSON file, else at the
// well-known paths below it, then at those of its origin, then at rawURL itself. It
// goes on only from a place that has no card: 404, 405, or something else there. The
// error wraps transport.ErrUnreachable when the agent could not be reached, and is
// or wraps a *NoCardError when it has no card.
func Discover(ctx context.Context, rawURL string, c Config) (Found, error) {
	l := newLine(c)
	defer l.http.Close()
	return l.discover(ctx, rawURL, c.Want)
}

func (l *line) discover(ctx context.Context, rawURL string, w Want) (Found, error) {
	places, err := candidates(rawURL)
	if err != nil {
		return Found{}, err
	}
	var tried []Attempt
	for _, place := range places {
		found, err := l.card(ctx, place, w)
		if err == nil {
			found.Tried = tried
			return found, nil
		}
		tried = append(tried, Attempt{bare(place), err})
		if !goesOn(err) && !besides(rawURL, place, err) {
			break
		}
	}
	if last := tried[len(tried)-1].Err; !answered(last) {
		return Found{}, fmt.Errorf("looking for the agent card: %w", last)
	}
	return Found{}, &NoCardError{tried}
}

// candidates lists the places to look, the likeliest first.
func candidates(rawURL string) ([]string, error) {
	u, err := url.Parse(rawURL)
	if why := badURL(rawURL); why != "" || err != nil {
		return nil, fmt.Errorf("the agent's URL %q: %s", bare(rawURL), why)
	}
	if strings.HasSuffix(u.Path, ".json") {
		return []string{rawURL}, nil
	}
	var places []string
	add := func(path string) {
		at := *u
		at.Path, at.RawPath, at.Fragment = path, "", ""
		if !slices.Contains(places, at.String()) {
			places = append(places, at.String())
		}
	}
	base := strings.TrimSuffix(u.Path, "/")
	add(base + WellKnown)
	add(base + OldWellKnown)
	add(WellKnown)
	add(OldWellKnown)
	if base != "" {
		add(u.Path)
	}
	return places, nil
}

// card fetches one place.
func (l *line) card(ctx context.Context, place string, w Want) (Found, error) {
	reply, err := l.fetch(ctx, transport.HTTPRequest{
		Method: http.MethodGet, URL: place,
		Header: cardHeader(w),
	})
	if err != nil {
		return Found{}, err
	}
	return cardIn(reply, place)
}

// goesOn tells whether another place may have the card.
func goesOn(err error) bool {
	var f *Fault
	if errors.As(err, &f) {
		return f.HTTPStatus == http.StatusNotFound || f.HTTPStatus == http.StatusMethodNotAllowed
	}
	return errors.Is(err, ErrMalformed)
}

// besides tells whether the place is another's, who keeps it to himself: an agent that is
// mounted below an origin has no say in what that answers.
func besides(rawURL, place string, err error) bool {
	of, errOf := url.Parse(rawURL)
	at, errAt := url.Parse(place)
	if errOf != nil || errAt != nil || strings.Trim(of.Path, "/") == "" || at.Path != WellKnown && at.Path != OldWellKnown {
		return false
	}
	var f *Fault
	return errors.As(err, &f) && (f.HTTPStatus == http.StatusUnauthorized || f.HTTPStatus == http.StatusForbidden)
}

// answered tells whether the error is about an answer that came.
func answered(err error) bool {
	var f *Fault
	return errors.As(err, &f) || errors.Is(err, ErrMalformed)
}
