package replay

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	suite "github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// route says where on the live agent a recorded request belongs.
type route struct {
	kind   routeKind
	suffix string // of a REST call, after the URL of its interface; the whole path elsewhere
	query  string
}

type routeKind int

const (
	toOrigin routeKind = iota // the same path on the agent's origin
	toCard
	toJSONRPC
	toREST
)

// restCall finds where the path of a REST call begins, after that of its interface.
//
//   - https://a2a-protocol.org/v0.3.0/specification/#35-method-mapping-and-naming-conventions
//   - https://a2a-protocol.org/v1.0.0/specification/#53-method-mapping-reference
var restCall = regexp.MustCompile(`(/v1)?/(message:(send|stream)|tasks(/.*)?|extendedAgentCard|card)$`)

// planA2A makes the steps of an A2A fixture: every HTTP exchange is one.
func (s *Script) planA2A() {
	for _, e := range s.log.Exchanges {
		st := &step{Exchange: e, method: e.Request.Method, begins: e.Head.Seq}
		if n := len(e.In); n > 0 {
			st.ends = e.In[n-1].Seq
		}
		st.route = routeOf(e.Head.URL, e.Request)
		if st.method == "" {
			st.method = restMethod(e.Head.Method, st.route)
		}
		st.area = a2aArea(st)
		switch {
		case e.Number == 0:
			st.idle = "A2A travels over HTTP, and this did not"
		case e.Answered() == nil:
			st.unknown = "the fixture holds no answer to it"
		default:
			st.needs = a2aNeeds(st)
		}
		s.add(st)
	}
}

func routeOf(address string, m wire.Message) route {
	u, err := url.Parse(address)
	if err != nil {
		return route{}
	}
	path := u.EscapedPath()
	r := route{suffix: path, query: u.RawQuery}
	at := restCall.FindStringIndex(path)
	switch {
	case strings.Contains(path, "/.well-known/agent"):
		r.kind = toCard
	case m.Method != "" && wire.Get(m.Raw, "jsonrpc") != nil:
		r.kind = toJSONRPC
	case at != nil:
		r.kind, r.suffix = toREST, path[at[0]:]
	}
	return r
}

// restMethod names a call by its HTTP method and path, with the ids in it left out.
func restMethod(method string, r route) string {
	parts := strings.Split(r.suffix, "/")
	for i := 1; i < len(parts); i++ {
		if parts[i-1] == "tasks" || parts[i-1] == "pushNotificationConfigs" {
			_, verb, _ := strings.Cut(parts[i], ":")
			parts[i] = "id " + verb
		}
	}
	return method + " " + strings.Join(parts, "/")
}

// a2aNeeds lists what the agent must have for the step to be played. What was refused
// when it was recorded may be missing again.
func a2aNeeds(st *step) []conformance.Feature {
	var needs []conformance.Feature
	switch st.route.kind {
	case toJSONRPC:
		needs = append(needs, suite.JSONRPC)
	case toREST:
		needs = append(needs, suite.HTTPJSON)
	case toOrigin, toCard:
	}
	if st.refused() || st.Request.Method != "" && st.Answer.Kind == wire.KindError {
		return needs
	}
	switch st.area {
	case conformance.Streaming:
		needs = append(needs, suite.Streaming)
	case conformance.Push:
		needs = append(needs, suite.Push)
	case conformance.Discovery:
		if st.route.kind != toCard {
			needs = append(needs, suite.ExtendedCard)
		}
	}
	return needs
}

func a2aArea(st *step) conformance.Area {
	name := strings.ToLower(st.method)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(name, w) {
				return true
			}
		}
		return false
	}
	switch {
	case st.route.kind == toCard || has("card"):
		return conformance.Discovery
	case has("pushnotification"):
		return conformance.Push
	case has("stream", "subscribe"):
		return conformance.Streaming
	case has("cancel"):
		return conformance.Cancellation
	}
	return conformance.Tasks
}

// live returns the URL for the route at the agent with this card.
func (r route) live(found a2ahttp.Found, pick func(binding string) (a2ahttp.Interface, error)) (string, error) {
	address := ""
	switch r.kind {
	case toCard:
		address = found.URL
	case toJSONRPC, toREST:
		binding := a2ahttp.JSONRPC
		if r.kind == toREST {
			binding = a2ahttp.HTTPJSON
		}
		i, err := pick(binding)
		if err != nil {
			return "", err
		}
		address = i.URL
		if r.kind == toREST {
			address = strings.TrimSuffix(address, "/") + r.suffix
		}
	case toOrigin:
		u, err := url.Parse(found.URL)
		if err != nil {
			return "", err
		}
		address = u.Scheme + "://" + u.Host + r.suffix
	}
	if r.query != "" && !strings.Contains(address, "?") {
		address += "?" + r.query
	}
	return address, nil
}

// kept are the headers of a request that mean something to an agent; credentials are
// the user's to give.
var kept = []string{"Content-Type", "Accept", "A2a-Version", "A2a-Extensions", "X-A2a-Extensions"}

func keptHeader(recorded http.Header) http.Header {
	h := http.Header{}
	for _, name := range kept {
		if values := recorded.Values(name); len(values) > 0 {
			h[name] = values
		}
	}
	return h
}
