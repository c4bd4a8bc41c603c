package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// revisionModern is the first revision in which a server cannot call its client: a call is
// answered with the question instead.
const revisionModern = "2026-07-28"

// user is the person at the client of a request.
type user struct {
	server *Server
	req    *mcp.CallToolRequest
	caller string
	tool   string          // that is to be confirmed
	args   json.RawMessage // as they will run
}

// about returns the user of one question, which is bound to the call.
func (u *user) about(tool string, args json.RawMessage) *user {
	bound := *u
	bound.tool, bound.args = tool, args
	return &bound
}

// Confirm implements User.
func (u *user) Confirm(ctx context.Context, question string) (bool, error) {
	caps := u.req.ClientCapabilities()
	if caps == nil || caps.Elicitation == nil || (caps.Elicitation.Form == nil && caps.Elicitation.URL != nil) {
		return false, fmt.Errorf("%w: the client does not declare elicitation", ErrCannotAsk)
	}
	if u.req.ProtocolVersion() >= revisionModern {
		return u.answered(question)
	}
	answer, err := u.req.Session.Elicit(ctx, elicitation(question))
	if err != nil {
		return false, fmt.Errorf("asking the client's user: %w", err)
	}
	return isYes(answer), nil
}

// answered reads the answer that came with the call, or asks for one.
func (u *user) answered(question string) (bool, error) {
	params := u.req.Params
	if params.RequestState == "" && len(params.InputResponses) == 0 {
		return false, &pendingAnswer{question, u.server.newState(u.caller, u.tool, u.args)}
	}
	if err := u.server.checkState(params.RequestState, u.caller, u.tool, u.args); err != nil {
		return false, err
	}
	answer, ok := params.InputResponses[questionID].(*mcp.ElicitResult)
	if !ok {
		return false, errors.New("there is no answer that can be read")
	}
	return isYes(answer), nil
}

// isYes takes nothing for a yes but a form that was accepted with its box ticked: a
// client that accepts by itself leaves it empty.
func isYes(answer *mcp.ElicitResult) bool {
	return answer != nil && answer.Action == "accept" && answer.Content["allow"] == true
}

// elicitation is the question as a form.
//
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
func elicitation(question string) *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Mode: "form", Message: question,
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"allow":{"type":"boolean","title":"Allow it"}},"required":["allow"]}`),
	}
}
