package a2apeer

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
)

// store keeps the tasks. It is the SDK's store in memory, with a list of its own.
type store struct {
	*taskstore.InMemory

	mu    sync.Mutex
	index map[a2a.TaskID]entry
}

// entry is what lists are ordered and filtered by.
type entry struct {
	id      a2a.TaskID
	context string
	state   a2a.TaskState
	at      time.Time
}

func newStore() *store {
	return &store{InMemory: taskstore.NewInMemory(nil), index: map[a2a.TaskID]entry{}}
}

// Create implements taskstore.Store.
func (s *store) Create(ctx context.Context, task *a2a.Task) (taskstore.TaskVersion, error) {
	version, err := s.InMemory.Create(ctx, task)
	if err == nil {
		s.note(task)
	}
	return version, err //nolint:wrapcheck // the SDK tests for its own errors
}

// Update implements taskstore.Store.
func (s *store) Update(ctx context.Context, u *taskstore.UpdateRequest) (taskstore.TaskVersion, error) {
	version, err := s.InMemory.Update(ctx, u)
	if err == nil {
		s.note(u.Task)
	}
	return version, err //nolint:wrapcheck // the SDK tests for its own errors
}

func (s *store) note(t *a2a.Task) {
	e := entry{id: t.ID, context: t.ContextID, state: t.Status.State}
	if t.Status.Timestamp != nil {
		e.at = *t.Status.Timestamp
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index[t.ID] = e
}

// The bounds of a page.
//
// https://a2a-protocol.org/latest/specification/#314-list-tasks
const (
	defaultPage = 50
	largestPage = 100
)

// List implements taskstore.Store: newest status first, one page of it.
func (s *store) List(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	size := req.PageSize
	if size == 0 {
		size = defaultPage
	}
	if size < 1 || size > largestPage {
		return nil, fmt.Errorf("pageSize must be between 1 and %d: %w", largestPage, a2a.ErrInvalidParams)
	}
	all := s.matching(req)
	page, err := after(all, req.PageToken)
	if err != nil {
		return nil, err
	}
	next := ""
	if len(page) > size {
		page, next = page[:size], token(page[size-1])
	}
	tasks := make([]*a2a.Task, 0, len(page))
	for _, e := range page {
		stored, err := s.Get(ctx, e.id)
		if err != nil {
			return nil, fmt.Errorf("reading task %s: %w", e.id, err)
		}
		if !req.IncludeArtifacts {
			stored.Task.Artifacts = nil
		}
		trim(stored.Task, req.HistoryLength)
		tasks = append(tasks, stored.Task)
	}
	return &a2a.ListTasksResponse{Tasks: tasks, TotalSize: len(all), PageSize: size, NextPageToken: next}, nil
}

func (s *store) matching(req *a2a.ListTasksRequest) []entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []entry
	for _, e := range s.index {
		switch {
		case req.ContextID != "" && e.context != req.ContextID:
		case req.Status != a2a.TaskStateUnspecified && e.state != req.Status:
		case req.StatusTimestampAfter != nil && e.at.Before(*req.StatusTimestampAfter):
		default:
			found = append(found, e)
		}
	}
	slices.SortFunc(found, order)
	return found
}

// order puts the newest first, and those of one time by their id.
func order(a, b entry) int {
	return cmp.Or(b.at.Compare(a.at), strings.Compare(string(a.id), string(b.id)))
}

// token names the last task of a page; after finds what follows it.
func token(e entry) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(e.at.UnixNano(), 10) + "|" + string(e.id)))
}

func after(all []entry, pageToken string) ([]entry, error) {
	if pageToken == "" {
		return all, nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(pageToken)
	nanos, id, ok := strings.Cut(string(plain), "|")
	at, err2 := strconv.ParseInt(nanos, 10, 64)
	if err != nil || err2 != nil || !ok {
		return nil, fmt.Errorf("pageToken is none of this agent's: %w", a2a.ErrInvalidParams)
	}
	last := entry{id: a2a.TaskID(id), at: time.Unix(0, at)}
	i := slices.IndexFunc(all, func(e entry) bool { return order(e, last) > 0 })
	if i < 0 {
		return nil, nil
	}
	return all[i:], nil
}

// trim keeps the last messages of the history, as many as were asked for.
//
// https://a2a-protocol.org/latest/specification/#324-history-length-semantics
func trim(t *a2a.Task, length *int) {
	if length == nil || *length >= len(t.History) {
		return
	}
	t.History = t.History[len(t.History)-max(*length, 0):]
	if len(t.History) == 0 {
		t.History = nil
	}
}
