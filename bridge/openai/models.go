package openai

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/internal/errclass"
)

// models answers GET /v1/models.
//
// https://platform.openai.com/docs/api-reference/models/list
func (s *Server) models(x *exchange, r *http.Request) {
	dst := []byte(`{"object":"list","data":[`)
	for i, m := range s.allModels(r) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.appendJSON(dst)
	}
	writeJSON(x, append(dst, `]}`...))
}

// model answers GET /v1/models/{id}; an id may hold slashes.
func (s *Server) model(x *exchange, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/v1/models/")
	for _, m := range s.allModels(r) {
		if m.ID == id {
			writeJSON(x, m.appendJSON(nil))
			return
		}
	}
	WriteError(x, s.now(), noModel(id))
}

// allModels lists the models of all backends, each id once.
func (s *Server) allModels(r *http.Request) []Model {
	var list []Model
	seen := map[string]bool{}
	for _, b := range s.opts.Backends {
		for _, m := range b.Models(r.Context()) {
			if seen[m.ID] {
				continue
			}
			seen[m.ID] = true
			if m.Created == 0 {
				m.Created = s.started
			}
			if m.OwnedBy == "" {
				m.OwnedBy = "peerwright"
			}
			list = append(list, m)
		}
	}
	return list
}

func (m Model) appendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"id":`...), m.ID)
	dst = append(dst, `,"object":"model","created":`...)
	dst = strconv.AppendInt(dst, m.Created, 10)
	dst = appendString(append(dst, `,"owned_by":`...), m.OwnedBy)
	return append(dst, '}')
}

func noModel(id string) error {
	message := fmt.Sprintf("The model %q is not served here. GET /v1/models lists those that are.", id)
	e := errclass.New(errclass.NotFound, errclass.Bridge, errclass.NotRun, message, errclass.Call{})
	return Failure{Cause: e, Code: "model_not_found", Param: "model"}
}
