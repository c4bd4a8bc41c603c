package a2apeer

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/peerwright/peerwright/internal/rawjson"
	"github.com/peerwright/peerwright/internal/wire"
)

// rest is the HTTP+JSON interface of 1.0.
//
// https://a2a-protocol.org/latest/specification/#11-httpjsonrest-protocol-binding
type rest struct{ agent *Agent }

// route is where a request goes: the HTTP methods that it may come by, and the
// message that its body is, nil for those without one.
type route struct {
	methods []string
	body    func() proto.Message
}

// ServeHTTP implements http.Handler.
func (h rest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, flt := find(r)
	if version := requestedVersion(r); flt == nil && version != version1 {
		flt = versionUnsupported.faultf("version %q is not supported over HTTP+JSON; send A2A-Version: 1.0", version)
	}
	if flt != nil {
		respond(w, flt.kind.status, mediaA2A, flt.rest())
		return
	}
	if r.URL.Path == "/tasks" {
		h.list(w, r)
		return
	}
	body, flt := readBody(w, r, to)
	if flt != nil {
		respond(w, flt.kind.status, mediaA2A, flt.rest())
		return
	}
	out := &answer{ResponseWriter: w, media: mediaA2A, mend: emptyAsObject, failed: statusOf}
	r = forwarded(r, body)
	if strings.HasSuffix(r.URL.Path, ":subscribe") {
		r.Method = http.MethodPost // the SDK knows it by that one only
	}
	h.agent.rest.ServeHTTP(out, r)
	out.finish()
}

// find finds the operation that a request asks for.
//
// https://a2a-protocol.org/latest/specification/#113-url-patterns-and-http-methods
func find(r *http.Request) (route, *fault) {
	to, ok := match(r.URL.Path)
	if !ok {
		return to, methodNotFound.faultf("there is nothing at %s", r.URL.Path)
	}
	for _, m := range to.methods {
		if m == r.Method {
			return to, nil
		}
	}
	return to, methodNotAllowed.faultf("%s is not for %s", r.URL.Path, r.Method)
}

func match(path string) (route, bool) {
	send := func() proto.Message { return &a2apb.SendMessageRequest{} }
	hook := func() proto.Message { return &a2apb.TaskPushNotificationConfig{} }
	segments := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/message:send", path == "/message:stream":
		return route{[]string{http.MethodPost}, send}, true
	case path == "/tasks", path == "/extendedAgentCard":
		return route{[]string{http.MethodGet}, nil}, true
	case segments[0] != "tasks" || len(segments) < 2 || segments[1] == "":
		return route{}, false
	case len(segments) == 2 && strings.HasSuffix(segments[1], ":cancel"):
		return route{[]string{http.MethodPost}, nil}, true
	case len(segments) == 2 && strings.HasSuffix(segments[1], ":subscribe"):
		return route{[]string{http.MethodGet, http.MethodPost}, nil}, true
	case len(segments) == 2:
		return route{[]string{http.MethodGet}, nil}, true
	case len(segments) == 3 && segments[2] == "pushNotificationConfigs":
		return route{[]string{http.MethodGet, http.MethodPost}, hook}, true
	case len(segments) == 4 && segments[2] == "pushNotificationConfigs":
		return route{[]string{http.MethodGet, http.MethodDelete}, nil}, true
	}
	return route{}, false
}

// readBody reads the body where the operation has one, as the SDK reads it.
func readBody(w http.ResponseWriter, r *http.Request, to route) ([]byte, *fault) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	switch {
	case err != nil:
		return nil, invalidRequest.faultf("reading the request: %v", err)
	case to.body == nil || r.Method != http.MethodPost:
		return nil, nil
	case !json.Valid(body):
		return nil, parseError.faultf("parse error: the body is not JSON")
	}
	raw, flt := normalise(to.body(), body)
	return raw, flt
}

// emptyAsObject writes an empty answer as ProtoJSON does.
func emptyAsObject(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}

// statusOf reads the HTTP status that an error body names.
func statusOf(body []byte) (int, bool) {
	var view struct {
		Error *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &view) != nil || view.Error == nil || view.Error.Code < http.StatusBadRequest {
		return 0, false
	}
	return view.Error.Code, true
}

// list answers GET /tasks, of whose query parameters the SDK misses two.
//
// https://a2a-protocol.org/latest/specification/#115-query-parameter-naming-for-request-parameters
func (h rest) list(w http.ResponseWriter, r *http.Request) {
	raw, flt := normalise(&a2apb.ListTasksRequest{}, queryAsJSON(r.URL.Query()))
	if flt != nil {
		respond(w, flt.kind.status, mediaA2A, flt.rest())
		return
	}
	var req a2a.ListTasksRequest
	if err := json.Unmarshal(raw, &req); err != nil {
		flt := invalidParams.faultf("invalid params: %v", err)
		respond(w, flt.kind.status, mediaA2A, flt.rest())
		return
	}
	page, err := h.agent.rules.ListTasks(r.Context(), &req)
	if err != nil {
		flt := invalidParams.faultf("invalid params: %v", err)
		respond(w, flt.kind.status, mediaA2A, flt.rest())
		return
	}
	body, err := wire.Marshal(page)
	if err != nil {
		flt := internalError.faultf("writing the tasks: %v", err)
		respond(w, flt.kind.status, mediaA2A, flt.rest())
		return
	}
	respond(w, http.StatusOK, mediaA2A, body)
}

// queryAsJSON writes the query parameters of ListTasks as the members of its
// request, numbers and booleans as such.
func queryAsJSON(query url.Values) []byte {
	raw := []byte("{}")
	fields := (&a2apb.ListTasksRequest{}).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		value := query.Get(f.JSONName())
		if value == "" {
			continue
		}
		member := wire.Quote(value)
		if plain := f.Kind() == protoreflect.Int32Kind || f.Kind() == protoreflect.BoolKind; plain && json.Valid([]byte(value)) {
			member = []byte(value)
		}
		raw = rawjson.With(raw, f.JSONName(), member)
	}
	return raw
}
