package a2ahttp

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"github.com/peerwright/peerwright/internal/transport"
)

// Refresh asks again for a card that Discover found at rawURL, where it was found. A
// card that has not changed is not sent again, if the agent knows how (RFC 9111,
// section 4.3): the same one is then returned with the newer head. It fails as one
// place of Discover does.
func Refresh(ctx context.Context, rawURL string, f Found, c Config) (Found, error) {
	l := newLine(c)
	defer l.http.Close()
	reply, err := l.fetch(ctx, transport.HTTPRequest{
		Method: http.MethodGet, URL: userOf(rawURL, f.URL), Header: f.ifChanged(c.Want),
	})
	switch {
	case err != nil:
		return Found{}, err
	case reply.Status == http.StatusNotModified:
		head := f.Reply.Header.Clone()
		maps.Copy(head, reply.Header)
		f.Reply.Header = head
		return f, nil
	}
	return cardIn(reply, f.URL)
}

// ifChanged returns the head of a request for a card that has changed since.
func (f Found) ifChanged(w Want) http.Header {
	h := cardHeader(w)
	for field, condition := range map[string]string{"Etag": "If-None-Match", "Last-Modified": "If-Modified-Since"} {
		if value := f.Reply.Header.Get(field); value != "" {
			h.Set(condition, value)
		}
	}
	return h
}

// userOf returns to with the user of from, where both are of one origin.
func userOf(from, to string) string {
	a, errA := url.Parse(from)
	b, errB := url.Parse(to)
	if errA != nil || errB != nil || a.User == nil || !SameOrigin(from, to) {
		return to
	}
	b.User = a.User
	return b.String()
}

func cardHeader(w Want) http.Header {
	return http.Header{"Accept": {jsonType}, versionHeader: {orDefault(w.Version, V10)}}
}

// cardIn reads the card in an answer.
func cardIn(reply Reply, place string) (Found, error) {
	if !reply.OK() {
		return Found{}, httpFault(reply)
	}
	card, err := ParseCard(reply.Body)
	if err != nil {
		return Found{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return Found{Card: card, URL: bare(place), Reply: reply}, nil
}
