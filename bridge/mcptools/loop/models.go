package loop

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/peerwright/peerwright/bridge/openai"
)

// The bounds of the list of models.
const (
	modelsTime  = 5 * time.Second
	modelsSize  = 4 << 20 // bytes
	modelsCount = 10_000
)

// models are those of the server, as they were last seen.
type models struct {
	turn chan struct{} // held by who asks
	mu   sync.Mutex    // over the rest
	list []openai.Model
	next time.Time // when to ask again
}

// Models lists what the model server serves. The list may be Config.Fresh old; while the
// server does not answer it is the last one, or empty.
func (l *Client) Models(ctx context.Context) []openai.Model {
	if list, fresh := l.listed(); fresh {
		return list
	}
	ctx, cancel := context.WithTimeout(ctx, modelsTime)
	defer cancel()
	select {
	case l.models.turn <- struct{}{}:
		defer func() { <-l.models.turn }()
	case <-ctx.Done():
		list, _ := l.listed()
		return list
	}
	list, fresh := l.listed()
	if fresh { // another has asked meanwhile
		return list
	}
	found, ok := l.fetch(ctx)
	l.models.mu.Lock()
	defer l.models.mu.Unlock()
	if ok {
		l.models.list = found
	}
	if ok || ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) { // the caller's going away says nothing of the server
		l.models.next = l.c.Now().Add(l.c.Fresh)
	}
	return l.models.list
}

func (l *Client) listed() (list []openai.Model, fresh bool) {
	l.models.mu.Lock()
	defer l.models.mu.Unlock()
	return l.models.list, l.c.Now().Before(l.models.next)
}

// fetch asks the server.
//
// https://platform.openai.com/docs/api-reference/models/list
func (l *Client) fetch(ctx context.Context) ([]openai.Model, bool) {
	req, err := l.request(ctx, http.MethodGet, "/models", http.NoBody)
	if err != nil {
		return nil, false
	}
	res, err := l.c.Client.Do(req)
	if err != nil {
		return nil, false
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, modelsSize+1))
	var page struct {
		Data []struct {
			ID      string
			OwnedBy string `json:"owned_by"`
			Created json.Number
		}
	}
	if err != nil || res.StatusCode != http.StatusOK || len(raw) > modelsSize || json.Unmarshal(raw, &page) != nil {
		return nil, false
	}
	list := []openai.Model{}
	for _, m := range page.Data[:min(len(page.Data), modelsCount)] {
		created, _ := m.Created.Int64() // what is no whole number is none
		if m.ID != "" {
			list = append(list, openai.Model{ID: m.ID, OwnedBy: m.OwnedBy, Created: max(created, 0)})
		}
	}
	return list, true
}
