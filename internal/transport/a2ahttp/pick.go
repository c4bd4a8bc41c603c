package a2ahttp

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ErrNoInterface is wrapped by the error of Pick when the card declares nothing that
// could be used.
var ErrNoInterface = errors.New("no interface that can be used")

// Want narrows the choice of an interface. The zero value takes any.
type Want struct {
	Version string // V02, V03 or V10; "" takes any
	Binding string // JSONRPC or HTTPJSON; "" takes either
}

// Pick returns the first interface of the card that this package speaks and that is
// wanted: the agent's order decides (A2A 1.0, section 8.3.2).
func (c Card) Pick(w Want) (Interface, error) {
	declared := make([]string, 0, len(c.Interfaces))
	for _, i := range c.Interfaces {
		why := w.refuses(i)
		if why == "" {
			return i, nil
		}
		declared = append(declared, i.String()+": "+why)
	}
	if len(declared) == 0 {
		return Interface{}, fmt.Errorf("%w: the card of %q declares none", ErrNoInterface, c.Name)
	}
	return Interface{}, fmt.Errorf("%w: the card of %q declares %s", ErrNoInterface, c.Name, strings.Join(declared, "; "))
}

// refuses says why the interface is not the one; "" when it is.
func (w Want) refuses(i Interface) string {
	switch {
	case i.Binding != JSONRPC && i.Binding != HTTPJSON:
		return "the binding is not spoken here"
	case !spoken(i.Version):
		return "the version is not spoken here"
	case w.Version != "" && w.Version != i.Version:
		return "version " + w.Version + " was asked for"
	case w.Binding != "" && w.Binding != i.Binding:
		return "binding " + w.Binding + " was asked for"
	}
	return badURL(i.URL)
}

func badURL(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return "the URL cannot be read"
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "the URL is not an absolute http or https one"
	}
	return ""
}
