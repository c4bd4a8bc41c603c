package chat

import (
	"context"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// modelCases are about GET /models.
func modelCases() []conformance.Case {
	return []conformance.Case{modelList(), modelMembers(), oneModel(), unknownModel()}
}

func modelList() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Discovery, "models", "The model list is a list of models with ids", reporters.Must, needs(Models),
			`GET /models answers an object "list" whose data holds models, each with object "model" and an id.`, listURL,
			`Answer {"object":"list","data":[{"id":…,"object":"model",…}]}.`),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.get(ctx, c, "/models")
			c.That(a.text("object") == "list" && kind(a.at("data")) == "array", `an object "list" with an array as data`, "%s", clip(string(a.body)))
			for _, m := range elements(a.at("data")) {
				id, _ := wire.Text(at(m, "id"))
				c.That(id != "", "an id of each model", "%s", clip(string(m)))
				c.That(string(at(m, "object")) == `"model"`, `object "model" of `+id, "%s", clip(string(m)))
			}
		}),
	}
}

func modelMembers() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Discovery, "model-members", "Each model says when it was made and who owns it", reporters.Should, needs(Models),
			"A model has created, in whole Unix seconds, and owned_by. Many servers leave them out, and are warned.", listURL,
			"Write created as an integer and owned_by as a string."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, m := range elements(s.get(ctx, c, "/models").at("data")) {
				c.That(kind(at(m, "created")) == "integer" && kind(at(m, "owned_by")) == "string",
					"created as an integer and owned_by as a string", "%s", clip(string(m)))
			}
		}),
	}
}

func oneModel() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Discovery, "model", "A model of the list can be asked for by its id", reporters.Should, needs(Models),
			"GET /models/{model} answers the model of that id, as it stands in the list.", retrieveURL,
			"Serve GET /models/{id} from the same source as the list."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, m := range elements(s.target.facts.models.at("data")) {
				id, _ := wire.Text(at(m, "id"))
				if id == "" || strings.ContainsAny(id, "/?#%: ") {
					continue // servers differ in how such a path is written
				}
				a := s.get(ctx, c, "/models/"+id)
				c.That(a.status == http.StatusOK && a.text("id") == id, "the model "+id, "status %d, %s", a.status, clip(string(a.body)))
				return
			}
			c.NotVerified("no model has an id that is plain in a path")
		}),
	}
}

func unknownModel() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Errors, "unknown-model", "A model that is not there is not found", reporters.Should, needs(Models),
			"GET /models/{model} of an id that the list does not have is answered 404. Any other refusal by a status of 4xx is accepted.", statusURL+".5",
			"Answer 404 for ids that the list does not have."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.get(ctx, c, "/models/peerwright-no-such-model")
			c.That(a.status/100 == 4, "status 404", "status %d, %s", a.status, clip(string(a.body)))
		}),
	}
}
