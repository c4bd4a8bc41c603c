package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// pushID is the id of the suite's push configurations, which it deletes again.
const pushID = "peerwright"

func pushRoundTrip() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.push.round-trip", Title: "A push configuration can be read after it was set",
			Area: conformance.Push, Level: reporters.Must, Revisions: since10(), Needs: needs(Push),
			Rule: rule("A push configuration persists until the task is over or it is deleted: it can be read by its id, and is among "+
				"those that are listed.", spec10+"#317-create-push-notification-config"),
			Fix: "Store the configuration under task and id, and serve Get and List from there.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			it := s.pushTask(ctx, c)
			taskID := it.TaskID
			id, hook := s.setPush(ctx, c, taskID)
			reply, fault := s.Call(ctx, c, a2ahttp.GetPushConfig, s.dialect.pushConfigID(taskID, id))
			if fault != nil && it.State.terminal() {
				c.NotVerified("the agent keeps no push configuration for the task, which is over: %v", fault)
			}
			c.That(fault == nil, "the configuration "+id, "%v", fault)
			c.That(text(reply.Result, "url") == hook, "a configuration with the url "+hook, "%s", clip(string(reply.Result)))
			all := list(s.Must(ctx, c, a2ahttp.ListPushConfigs, s.dialect.pushConfigs(taskID)).Result, "configs")
			c.That(hasID(all, id), "the configuration "+id+" among those listed", "%d others", len(all))
			_ = s.deletePush(ctx, c, s.dialect.pushConfigID(taskID, id)) // whether it can be is pushDeleteTwice's affair
		}),
	}
}

// pushTask returns a task to set a push configuration on: one that goes on, if the
// suite has one, for nothing has to persist longer than its task.
func (s *Session) pushTask(ctx context.Context, c *conformance.Check) item {
	f := &s.target.facts
	f.mu.Lock()
	live := f.live
	f.mu.Unlock()
	if it, ok := s.stillGoing(ctx, live); ok {
		return it
	}
	return s.known(ctx, c)
}

func hasID(configs []json.RawMessage, id string) bool {
	for _, config := range configs {
		if text(config, "id") == id {
			return true
		}
	}
	return false
}

// setPush sets the suite's push configuration and returns the id that it has, and the
// webhook that the agent took.
func (s *Session) setPush(ctx context.Context, c *conformance.Check, taskID string) (id, hook string) {
	s.Note(a2ahttp.CreatePushConfig, "for a task of the suite's; it is deleted again")
	var reply a2ahttp.Reply
	var fault *a2ahttp.Fault
	for _, hook = range s.webhooks() {
		reply, fault = s.Call(ctx, c, a2ahttp.CreatePushConfig, s.dialect.pushConfig(taskID, pushID, hook))
		if fault == nil {
			break
		}
	}
	if fault != nil {
		c.NotVerified("the agent does not take the suite's push configuration: %v", fault)
	}
	made := reply.Result
	if s.dialect.version != a2ahttp.V10 {
		made = wire.Get(made, "pushNotificationConfig")
	}
	return cmp.Or(text(made, "id"), pushID), hook
}

// deletePush deletes a push configuration. An answer in no good form, of which there
// are many to a deletion, is not judged here.
func (s *Session) deletePush(ctx context.Context, c *conformance.Check, params object) *a2ahttp.Fault {
	_, err := s.conv.client.Call(ctx, a2ahttp.DeletePushConfig, encoded(params))
	if errors.Is(err, a2ahttp.ErrMalformed) {
		return nil
	}
	return s.fault(c, err, string(a2ahttp.DeletePushConfig))
}

func pushDeleteTwice() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.push-delete", Title: "A push configuration can be deleted twice",
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: since10(), Needs: needs(Push),
			Rule: rule("Deleting a push configuration is idempotent: doing it again has the same effect.", spec10+"#3110-delete-push-notification-config"),
			Fix:  "Answer the deletion of a configuration that is gone already as a success.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			taskID := s.pushTask(ctx, c).TaskID
			id, _ := s.setPush(ctx, c, taskID)
			params := s.dialect.pushConfigID(taskID, id)
			fault := s.deletePush(ctx, c, params)
			c.That(fault == nil, "a configuration that was set to be deleted", "%v", fault)
			_, fault = s.Call(ctx, c, a2ahttp.GetPushConfig, params)
			c.That(fault != nil, "the configuration to be gone after it was deleted", "that it is still there")
			fault = s.deletePush(ctx, c, params)
			c.That(fault == nil, "the second deletion to succeed like the first", "%v", fault)
		}),
	}
}
