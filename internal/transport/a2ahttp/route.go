package a2ahttp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// route is where the HTTP+JSON binding has an operation. A segment in braces stands
// for the member of the params with that name.
type route struct{ verb, path string }

// routeOf returns the route, and false when the version has none.
//
// SubscribeToTask is POST in the text of 0.3 and 1.0 and GET in the protobuf
// definition; Client falls back from the one to the other.
func routeOf(op Op, version string) (route, bool) {
	if version == V10 {
		r, ok := routes10()[op]
		return r, ok
	}
	r, ok := routes03()[op]
	return r, ok
}

func routes10() map[Op]route {
	return map[Op]route{
		SendMessage:          {http.MethodPost, "/message:send"},
		SendStreamingMessage: {http.MethodPost, "/message:stream"},
		GetTask:              {http.MethodGet, "/tasks/{id}"},
		ListTasks:            {http.MethodGet, "/tasks"},
		CancelTask:           {http.MethodPost, "/tasks/{id}:cancel"},
		SubscribeToTask:      {http.MethodPost, "/tasks/{id}:subscribe"},
		CreatePushConfig:     {http.MethodPost, "/tasks/{taskId}/pushNotificationConfigs"},
		GetPushConfig:        {http.MethodGet, "/tasks/{taskId}/pushNotificationConfigs/{id}"},
		ListPushConfigs:      {http.MethodGet, "/tasks/{taskId}/pushNotificationConfigs"},
		DeletePushConfig:     {http.MethodDelete, "/tasks/{taskId}/pushNotificationConfigs/{id}"},
		GetExtendedCard:      {http.MethodGet, "/extendedAgentCard"},
	}
}

func routes03() map[Op]route {
	return map[Op]route{
		SendMessage:          {http.MethodPost, "/v1/message:send"},
		SendStreamingMessage: {http.MethodPost, "/v1/message:stream"},
		GetTask:              {http.MethodGet, "/v1/tasks/{id}"},
		ListTasks:            {http.MethodGet, "/v1/tasks"},
		CancelTask:           {http.MethodPost, "/v1/tasks/{id}:cancel"},
		SubscribeToTask:      {http.MethodPost, "/v1/tasks/{id}:subscribe"},
		CreatePushConfig:     {http.MethodPost, "/v1/tasks/{taskId}/pushNotificationConfigs"},
		GetPushConfig:        {http.MethodGet, "/v1/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}"},
		ListPushConfigs:      {http.MethodGet, "/v1/tasks/{id}/pushNotificationConfigs"},
		DeletePushConfig:     {http.MethodDelete, "/v1/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}"},
		GetExtendedCard:      {http.MethodGet, "/v1/card"},
	}
}

// target is a route with its params in place.
type target struct {
	verb, url string
	body      []byte // nil where the verb takes none
}

// target puts the params where the binding wants them: what the path names into the
// path, the rest into the body of a POST or the query of another verb (1.0, section
// 11.5). The tenant of an interface is a segment of the path.
func (r route) target(base, tenant string, params json.RawMessage) (target, error) {
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	members, err := wire.Members(params)
	if err != nil {
		return target{}, fmt.Errorf("params of %s %s: %w", r.verb, r.path, err)
	}
	if tenant != "" {
		r.path = "/" + url.PathEscape(tenant) + r.path
		members = slices.DeleteFunc(members, func(m wire.Member) bool { return m.Name == "tenant" })
	}
	path, rest := fill(r.path, members)
	base, query, _ := strings.Cut(base, "?")
	t := target{verb: r.verb, url: strings.TrimSuffix(base, "/") + path}
	if r.verb == http.MethodPost {
		t.body = object(rest)
	} else {
		query = strings.Trim(query+"&"+encodeQuery(rest), "&")
	}
	if query != "" {
		t.url += "?" + query
	}
	return t, nil
}

// fill puts members into the path, and returns those that it does not name. A
// member that the path names and the params lack leaves its segment empty.
func fill(path string, members []wire.Member) (string, []wire.Member) {
	var rest []wire.Member
	for _, m := range members {
		segment := "{" + m.Name + "}"
		if !strings.Contains(path, segment) {
			rest = append(rest, m)
			continue
		}
		path = strings.Replace(path, segment, url.PathEscape(plain(m.Value)), 1)
	}
	for {
		from := strings.IndexByte(path, '{')
		to := strings.IndexByte(path, '}')
		if from < 0 || to < from {
			return path, rest
		}
		path = path[:from] + path[to+1:]
	}
}

// plain is a scalar as a URL has it: a string without its quotes, anything else as
// its JSON text.
func plain(value json.RawMessage) string {
	if s, ok := wire.Text(value); ok {
		return s
	}
	return string(value)
}

func encodeQuery(members []wire.Member) string {
	query := url.Values{}
	for _, m := range members {
		var many []json.RawMessage
		if json.Unmarshal(m.Value, &many) == nil && many != nil {
			for _, value := range many {
				query.Add(m.Name, plain(value))
			}
			continue
		}
		query.Add(m.Name, plain(m.Value))
	}
	return query.Encode()
}

// object writes the members as they were read.
func object(members []wire.Member) []byte {
	raw := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(append(append(raw, wire.Quote(m.Name)...), ':'), m.Value...)
	}
	return append(raw, '}')
}
