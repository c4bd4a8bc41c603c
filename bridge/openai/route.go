package openai

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/peerwright/peerwright/internal/errclass"
)

type handle func(x *exchange, r *http.Request)

// route is one method of one path.
type route struct {
	method string
	open   bool // without a key
	handle handle
}

// routes are those of a server by their paths; one that ends in "/" stands for all that
// begin with it and go on.
type routes map[string][]route

// allRoutes returns the server's own routes and those of the options.
func (s *Server) allRoutes() (routes, error) {
	list := []Route{
		{Pattern: "GET /healthz", Open: true, Handler: http.HandlerFunc(healthz)},
	}
	if s.opts.Metrics != nil {
		list = append(list, Route{Pattern: "GET /metrics", Handler: promhttp.HandlerFor(s.opts.Metrics, promhttp.HandlerOpts{})})
	}
	all := routes{
		"/v1/models":           {{method: http.MethodGet, handle: s.models}},
		"/v1/models/":          {{method: http.MethodGet, handle: s.model}},
		"/v1/chat/completions": {{method: http.MethodPost, handle: s.chat}},
	}
	for _, r := range append(list, s.opts.Routes...) {
		method, path, ok := strings.Cut(r.Pattern, " ")
		if !ok || !strings.HasPrefix(path, "/") || r.Handler == nil {
			return nil, fmt.Errorf("route %q is none: it takes a method, a path and a handler", r.Pattern)
		}
		all[path] = slices.DeleteFunc(all[path], func(old route) bool { return old.method == method })
		all[path] = append(all[path], route{method, r.Open, func(x *exchange, req *http.Request) { r.Handler.ServeHTTP(x, req) }})
	}
	return all, nil
}

// find returns the route of a request, and the path under which it stands; the error is
// what the client is told.
func (a routes) find(method, path string) (route, string, error) {
	at := a.path(path)
	if at == "" {
		message := fmt.Sprintf("There is nothing at %s. The endpoint for chat is POST /v1/chat/completions.", path)
		return route{}, "", errclass.New(errclass.NotFound, errclass.Bridge, errclass.NotRun, message, errclass.Call{})
	}
	for _, r := range a[at] {
		if r.method == method || r.method == http.MethodGet && method == http.MethodHead {
			return r, at, nil
		}
	}
	message := fmt.Sprintf("%s takes %s, not %s.", path, a.methods(at), method)
	e := errclass.New(errclass.InvalidArgs, errclass.Bridge, errclass.NotRun, message, errclass.Call{})
	return route{}, at, Failure{Cause: e, Status: http.StatusMethodNotAllowed}
}

// path returns the path under which the routes of that one stand, "" for none.
func (a routes) path(path string) string {
	if _, ok := a[path]; ok && !strings.HasSuffix(path, "/") {
		return path
	}
	for end := len(path) - 1; end > 0; end-- {
		if path[end-1] != '/' {
			continue
		}
		if _, ok := a[path[:end]]; ok {
			return path[:end]
		}
	}
	return ""
}

// methods lists the methods of a path, as the Allow header does.
func (a routes) methods(path string) string {
	var list []string
	for _, r := range a[path] {
		list = append(list, r.method)
		if r.method == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	return strings.Join(list, ", ")
}

// healthz says that the process serves, and nothing else.
func healthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, []byte(`{"status":"ok"}`))
}

func writeJSON(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // who does not read the answer cannot be told either
}
