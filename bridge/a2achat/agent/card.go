package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// Card is the card of the agent, and the interface of it that is used.
type Card struct {
	a2ahttp.Card
	Interface a2ahttp.Interface
	// InputModes are the media types that the agent takes, those of its skills among
	// them; none when it does not say.
	InputModes []string
	// OutputModes are the media types of its answers, as it says for all its skills.
	OutputModes []string
	// Assumed says why there is no card, and a JSON-RPC 0.3 agent that does not stream
	// is assumed at Interface.URL; "" when there is one.
	Assumed string
	Fetched time.Time // when it was last found to be good

	found  a2ahttp.Found // zero when the card is assumed
	schema bool          // an agent of 0.3 over HTTP+JSON goes by the JSON schema
}

// Takes tells whether the agent says that it takes the media type, such as image/png;
// text is always taken.
func (c Card) Takes(mediaType string) bool {
	kind, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		kind = mediaType
	}
	family, _, _ := strings.Cut(kind, "/")
	if family == "text" {
		return true
	}
	return slices.ContainsFunc(c.InputModes, func(mode string) bool {
		mode = strings.ToLower(mode)
		// Some cards say "image" or "file" where they mean a media type.
		return mode == kind || mode == family+"/*" || mode == family || mode == "*/*" || mode == "*" || mode == "file"
	})
}

// Card returns the agent's card. It is looked for at the first call, at all the places
// and in all the shapes of the versions, and is kept as long as its caching headers say
// (RFC 9111; 1.0 section 8.6). After that the old one is returned while a new one is
// fetched in the background, and stays when that fails. Callers that come together
// share one fetch. The error is an errclass.Error.
func (a *Agent) Card(ctx context.Context) (Card, error) {
	card, err := a.card.get(ctx, a)
	if err != nil {
		return Card{}, a.failure(ctx, err, errclass.Call{ReadOnly: true})
	}
	return card, nil
}

// Known returns the card without asking for it, and false when there is none yet.
func (a *Agent) Known() (Card, bool) {
	a.card.mu.Lock()
	defer a.card.mu.Unlock()
	return a.card.card, a.card.have
}

// Check asks the agent for its card now, however good that at hand may be, and so tells
// whether it is there. The error is an errclass.Error.
func (a *Agent) Check(ctx context.Context) (Card, error) {
	old, _ := a.Known()
	card, err := a.fetch(ctx, old)
	if err != nil {
		return Card{}, a.failure(ctx, err, errclass.Call{ReadOnly: true})
	}
	return card, nil
}

// fetch fetches the card: again where there is one already, else wherever it may be.
func (a *Agent) fetch(ctx context.Context, old Card) (Card, error) {
	found, err := a.discover(ctx, old, nil)
	if refuses(err) && len(a.config.Header) > 0 && a.ownsCard() {
		found, err = a.discover(ctx, old, a)
	}
	if err != nil {
		return a.assume(err)
	}
	return a.use(found)
}

// discover asks for the card, with the headers of the calls where keys is not nil.
func (a *Agent) discover(ctx context.Context, old Card, keys *Agent) (a2ahttp.Found, error) {
	config := a2ahttp.Config{Options: a.options(nil), Want: a.config.Want}
	if keys != nil {
		config.Header = keys.config.Header
	}
	place := cmp.Or(a.config.CardURL, a.config.EndpointURL)
	if old.found.URL != "" {
		if found, err := a2ahttp.Refresh(ctx, place, old.found, config); err == nil {
			return found, nil
		}
	}
	return a2ahttp.Discover(ctx, place, config)
}

// refuses tells whether the card is only for those who are known.
func refuses(err error) bool {
	var f *a2ahttp.Fault
	return errors.As(err, &f) && (f.HTTPStatus == http.StatusUnauthorized || f.HTTPStatus == http.StatusForbidden)
}

// ownsCard tells whether the headers of the calls are for the server of the card.
func (a *Agent) ownsCard() bool {
	return a.config.EndpointURL == "" || a.config.CardURL == "" || a2ahttp.SameOrigin(a.config.CardURL, a.config.EndpointURL)
}

// assume takes an agent without a card for one that needs none, where its URL is known.
func (a *Agent) assume(err error) (Card, error) {
	var none *a2ahttp.NoCardError
	at := a.config.EndpointURL
	if at == "" && errors.As(err, &none) && nothing(none.Tried[0].Err) && !strings.HasSuffix(a.config.CardURL, ".json") {
		at = a.config.CardURL
	}
	if at == "" {
		return Card{}, err
	}
	return Card{
		Card:      a2ahttp.Card{Name: a.config.ID},
		Interface: a2ahttp.Interface{URL: at, Binding: a2ahttp.JSONRPC, Version: a2ahttp.V03},
		Assumed:   a.clean(err.Error()),
	}, nil
}

// nothing tells whether a place has no card, as opposed to keeping it back.
func nothing(err error) bool {
	var f *a2ahttp.Fault
	if errors.As(err, &f) {
		return f.HTTPStatus == http.StatusNotFound || f.HTTPStatus == http.StatusMethodNotAllowed
	}
	return errors.Is(err, a2ahttp.ErrMalformed)
}

// use chooses the interface of a card that was found.
func (a *Agent) use(found a2ahttp.Found) (Card, error) {
	card := Card{Card: found.Card, found: found}
	card.InputModes, card.OutputModes = modes(found.Card.Raw)
	elsewhere := func(i a2ahttp.Interface) bool { return i.URL != a.config.EndpointURL }
	if named := slices.DeleteFunc(slices.Clone(found.Card.Interfaces), elsewhere); len(named) > 0 {
		card.Card.Interfaces = named // the user has chosen
	}
	var err error
	card.Interface, err = card.Pick(a.config.Want)
	card.Card.Interfaces = found.Card.Interfaces
	if a.config.EndpointURL == "" {
		return card, err
	}
	if err != nil { // the card leads nowhere, and need not
		card.Interface = a2ahttp.Interface{Binding: a2ahttp.JSONRPC, Version: a2ahttp.V03}
	}
	card.Interface.URL = a.config.EndpointURL
	return card, nil
}

// modes reads the media types of a card.
func modes(raw json.RawMessage) (in, out []string) {
	in, out = texts(wire.Get(raw, "defaultInputModes")), texts(wire.Get(raw, "defaultOutputModes"))
	for _, skill := range list(wire.Get(raw, "skills")) {
		in = append(in, texts(wire.Get(skill, "inputModes"))...)
	}
	return in, out
}

func texts(raw []byte) []string {
	var all []string
	for _, item := range list(raw) {
		if s, ok := wire.Text(item); ok {
			all = append(all, s)
		}
	}
	return all
}
