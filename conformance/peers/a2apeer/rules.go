package a2apeer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"mime"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// rules stands before the SDK's operations, for all bindings, and keeps what the
// specification asks of each.
type rules struct {
	a2asrv.RequestHandler
	tasks     *store
	hooks     *hooks // nil without push notifications
	streaming bool
}

// checkSend judges a message before the SDK takes it.
//
// https://a2a-protocol.org/latest/specification/#311-send-message
func (r *rules) checkSend(ctx context.Context, req *a2a.SendMessageRequest) error {
	if req.Message == nil {
		return fmt.Errorf("message is missing: %w", a2a.ErrInvalidParams)
	}
	for _, p := range req.Message.Parts {
		if media, _, err := mime.ParseMediaType(p.MediaType); p.MediaType != "" && (err != nil || !slices.Contains(inputModes(), media)) {
			return fmt.Errorf("parts of media type %q are not taken: %w", p.MediaType, a2a.ErrUnsupportedContentType)
		}
	}
	if req.Config != nil && req.Config.HistoryLength != nil && *req.Config.HistoryLength < 0 {
		return fmt.Errorf("historyLength must not be negative: %w", a2a.ErrInvalidParams)
	}
	if req.Message.TaskID == "" {
		return nil
	}
	return r.checkContinue(ctx, req.Message)
}

// checkContinue judges a message to a task that exists.
func (r *rules) checkContinue(ctx context.Context, m *a2a.Message) error {
	stored, err := r.tasks.Get(ctx, m.TaskID)
	if err != nil {
		return fmt.Errorf("task %q: %w", m.TaskID, err)
	}
	state := stored.Task.Status.State
	switch {
	case m.ContextID != "" && m.ContextID != stored.Task.ContextID:
		return fmt.Errorf("contextId is not that of the task: %w", a2a.ErrInvalidParams)
	case state.Terminal():
		return fmt.Errorf("the task has ended as %s and takes no messages: %w", state, a2a.ErrUnsupportedOperation)
	case state != a2a.TaskStateInputRequired:
		return fmt.Errorf("the task is %s and takes no messages now: %w", state, a2a.ErrUnsupportedOperation)
	}
	return nil
}

// SendMessage implements a2asrv.RequestHandler.
func (r *rules) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	if err := r.checkSend(ctx, req); err != nil {
		return nil, err
	}
	result, err := r.RequestHandler.SendMessage(ctx, req)
	if task, ok := result.(*a2a.Task); ok && req.Config != nil {
		trim(task, req.Config.HistoryLength)
	}
	return result, err //nolint:wrapcheck // it is the SDK that turns errors into answers
}

// SendStreamingMessage implements a2asrv.RequestHandler.
func (r *rules) SendStreamingMessage(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	if !r.streaming {
		return fails(a2a.ErrUnsupportedOperation)
	}
	if err := r.checkSend(ctx, req); err != nil {
		return fails(err)
	}
	return func(yield func(a2a.Event, error) bool) {
		for event, err := range taskFirst(r.RequestHandler.SendStreamingMessage(ctx, req)) {
			if task, ok := event.(*a2a.Task); ok && req.Config != nil {
				trim(task, req.Config.HistoryLength)
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

// taskFirst lets a task through as the first event of a stream only. The SDK says
// the task once more when it has ended between two reads; if that is news, it goes
// out as what it is, a change of the status.
//
// https://a2a-protocol.org/latest/specification/#312-send-streaming-message
func taskFirst(events iter.Seq2[a2a.Event, error]) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		first, state := true, a2a.TaskStateUnspecified
		for event, err := range events {
			if task, ok := event.(*a2a.Task); ok && !first {
				if task.Status.State == state {
					continue
				}
				event = &a2a.TaskStatusUpdateEvent{TaskID: task.ID, ContextID: task.ContextID, Status: task.Status}
			}
			if !yield(event, err) {
				return
			}
			first, state = false, stateOf(event, state)
		}
	}
}

// stateOf is the state that an event tells of, before where it tells of none.
func stateOf(event a2a.Event, before a2a.TaskState) a2a.TaskState {
	switch e := event.(type) {
	case *a2a.Task:
		return e.Status.State
	case *a2a.TaskStatusUpdateEvent:
		return e.Status.State
	default:
		return before
	}
}

// SubscribeToTask implements a2asrv.RequestHandler.
//
// https://a2a-protocol.org/latest/specification/#316-subscribe-to-task
func (r *rules) SubscribeToTask(ctx context.Context, req *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	if !r.streaming {
		return fails(a2a.ErrUnsupportedOperation)
	}
	return func(yield func(a2a.Event, error) bool) {
		stored, err := r.tasks.Get(ctx, req.ID)
		if err != nil {
			yield(nil, fmt.Errorf("task %q: %w", req.ID, err))
			return
		}
		if state := stored.Task.Status.State; state.Terminal() {
			yield(nil, fmt.Errorf("the task has ended as %s: %w", state, a2a.ErrUnsupportedOperation))
			return
		}
		for event, err := range taskFirst(r.RequestHandler.SubscribeToTask(ctx, req)) {
			if errors.Is(err, a2a.ErrTaskNotFound) { // it waits for input: nothing runs that the SDK could follow
				yield(stored.Task, nil)
				return
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

func fails(err error) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(nil, err) }
}

// GetTask implements a2asrv.RequestHandler.
func (r *rules) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	if req.HistoryLength != nil && *req.HistoryLength < 0 {
		return nil, fmt.Errorf("historyLength must not be negative: %w", a2a.ErrInvalidParams)
	}
	return r.RequestHandler.GetTask(ctx, req) //nolint:wrapcheck // it is the SDK that turns errors into answers
}

// CancelTask implements a2asrv.RequestHandler. A task that ends while it is being
// canceled could not be canceled. One that has just stopped to wait for input can,
// but the SDK fails until it has let go of what ran: so it is asked again.
func (r *rules) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	var task *a2a.Task
	var err error
	for range cancelTries {
		task, err = r.RequestHandler.CancelTask(ctx, req)
		if err == nil || errors.Is(err, a2a.ErrTaskNotFound) || errors.Is(err, a2a.ErrTaskNotCancelable) {
			return task, err //nolint:wrapcheck // it is the SDK that turns errors into answers
		}
		if stored, gone := r.tasks.Get(ctx, req.ID); gone == nil && stored.Task.Status.State.Terminal() {
			return nil, fmt.Errorf("the task has ended as %s: %w", stored.Task.Status.State, a2a.ErrTaskNotCancelable)
		}
		select {
		case <-time.After(cancelPause):
		case <-ctx.Done():
			return nil, fmt.Errorf("canceling the task: %w", context.Cause(ctx))
		}
	}
	return nil, err //nolint:wrapcheck // it is the SDK that turns errors into answers
}

// How often the SDK is asked to cancel, and how long it has in between.
const (
	cancelTries = 50
	cancelPause = 5 * time.Millisecond
)

// ListTasks implements a2asrv.RequestHandler.
func (r *rules) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	if req.HistoryLength != nil && *req.HistoryLength < 0 {
		return nil, fmt.Errorf("historyLength must not be negative: %w", a2a.ErrInvalidParams)
	}
	return r.tasks.List(ctx, req)
}

// CreateTaskPushConfig implements a2asrv.RequestHandler.
//
// https://a2a-protocol.org/latest/specification/#317-create-push-notification-config
func (r *rules) CreateTaskPushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	if err := r.checkPush(ctx, req.TaskID); err != nil {
		return nil, err
	}
	return r.RequestHandler.CreateTaskPushConfig(ctx, req) //nolint:wrapcheck // it is the SDK that turns errors into answers
}

// ListTaskPushConfigs implements a2asrv.RequestHandler.
func (r *rules) ListTaskPushConfigs(ctx context.Context, req *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	if err := r.checkPush(ctx, req.TaskID); err != nil {
		return nil, err
	}
	return r.RequestHandler.ListTaskPushConfigs(ctx, req) //nolint:wrapcheck // it is the SDK that turns errors into answers
}

// DeleteTaskPushConfig implements a2asrv.RequestHandler.
func (r *rules) DeleteTaskPushConfig(ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) error {
	if err := r.checkPush(ctx, req.TaskID); err != nil {
		return err
	}
	return r.RequestHandler.DeleteTaskPushConfig(ctx, req) //nolint:wrapcheck // it is the SDK that turns errors into answers
}

// checkPush asks that there are push notifications, and the task.
func (r *rules) checkPush(ctx context.Context, id a2a.TaskID) error {
	if r.hooks == nil {
		return a2a.ErrPushNotificationNotSupported
	}
	if id == "" {
		return fmt.Errorf("taskId is missing: %w", a2a.ErrInvalidParams)
	}
	if _, err := r.tasks.Get(ctx, id); err != nil {
		return fmt.Errorf("task %q: %w", id, err)
	}
	return nil
}
