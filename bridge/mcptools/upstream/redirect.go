package upstream

import (
	"fmt"
	"net/http"
	"net/url"
)

// redirected says what to do about a redirect, which is a matter of configuration: a call is
// not sent to a place that nobody has named. The place is told without what may be secret
// in it.
//
// https://www.rfc-editor.org/rfc/rfc9110#section-15.4
func (s *slot) redirected(status int, h http.Header) string {
	said := fmt.Sprintf("it answers with HTTP status %d and redirects to ", status)
	base, err := url.Parse(s.u.config.Target.URL)
	if err != nil {
		base = &url.URL{}
	}
	to, err := base.Parse(h.Get("Location"))
	if err != nil || h.Get("Location") == "" {
		return s.told(said + "a place that is no URL; redirects are not followed: set the URL of the server to where it answers")
	}
	to = &url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path}
	return s.told(fmt.Sprintf("%s%s; redirects are not followed: set the URL of the server to it", said, to))
}
