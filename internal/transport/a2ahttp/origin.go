package a2ahttp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// ErrForeignOrigin is wrapped by the error of Found.Admits.
var ErrForeignOrigin = errors.New("the headers that were given are not for the interface's origin")

// Admits tells whether the headers that the user gave for the server of the card may
// go to the interface: whoever writes a card decides where the agent is, but not who
// is handed the credentials of its users. It fails when there are headers and the
// interface is at another origin than the card.
func (f Found) Admits(i Interface, header http.Header) error {
	if len(header) == 0 || SameOrigin(f.URL, i.URL) {
		return nil
	}
	return fmt.Errorf("%w: the card at %s names the interface at %s; give the agent's URL at %[3]s, with the headers that are for it, or give none",
		ErrForeignOrigin, origin(f.URL), origin(i.URL))
}

// SameOrigin tells whether two URLs are of one scheme, host and port.
//
// https://www.rfc-editor.org/rfc/rfc6454#section-5
func SameOrigin(a, b string) bool { return origin(a) != "" && origin(a) == origin(b) }

// origin returns scheme, host and port of a URL, "" when it has none.
func origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return scheme + "://" + strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
}

// withUser returns the headers with the user of the URL among them.
func withUser(raw string, header http.Header) http.Header {
	u, err := url.Parse(raw)
	if err != nil || u.User == nil || header.Get("Authorization") != "" {
		return header
	}
	password, _ := u.User.Password()
	r := http.Request{Header: header.Clone()}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.SetBasicAuth(u.User.Username(), password)
	return r.Header
}

// bare returns the URL without its user, as it may stand in a message or a report; of
// one that cannot be read, nothing.
func bare(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}
