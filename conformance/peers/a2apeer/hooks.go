package a2apeer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// hooks keeps the push notification configurations, and delivers to those of this
// machine only: where to, it is told by whoever can reach it.
//
// https://a2a-protocol.org/latest/specification/#43-push-notification-objects
type hooks struct {
	client *http.Client

	mu      sync.Mutex
	configs map[a2a.TaskID][]*a2a.PushConfig
}

// patience is how long a webhook may take.
const patience = 2 * time.Second

func newHooks() *hooks {
	return &hooks{configs: map[a2a.TaskID][]*a2a.PushConfig{}, client: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Save implements push.ConfigStore.
func (h *hooks) Save(_ context.Context, id a2a.TaskID, config *a2a.PushConfig) (*a2a.PushConfig, error) {
	if err := checkHook(config.URL); err != nil {
		return nil, err
	}
	kept := *config
	kept.TaskID = id
	if kept.ID == "" {
		kept.ID = uuid.NewString()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(id, kept.ID)
	h.configs[id] = append(h.configs[id], &kept)
	return &kept, nil
}

// checkHook asks for a URL that a webhook can have.
func checkHook(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("url must be an absolute http or https URL: %w", a2a.ErrInvalidParams)
	}
	return nil
}

// isLocal tells whether a webhook is on this machine.
func isLocal(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback())
}

// Get implements push.ConfigStore.
func (h *hooks) Get(_ context.Context, id a2a.TaskID, configID string) (*a2a.PushConfig, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.configs[id] {
		if c.ID == configID {
			return c, nil
		}
	}
	return nil, fmt.Errorf("the task has no push notification configuration %q: %w", configID, a2a.ErrTaskNotFound)
}

// List implements push.ConfigStore.
func (h *hooks) List(_ context.Context, id a2a.TaskID) ([]*a2a.PushConfig, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.configs[id]), nil
}

// Delete implements push.ConfigStore. Deleting what is not there is done already.
func (h *hooks) Delete(_ context.Context, id a2a.TaskID, configID string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(id, configID)
	return nil
}

func (h *hooks) remove(id a2a.TaskID, configID string) {
	h.configs[id] = slices.DeleteFunc(h.configs[id], func(c *a2a.PushConfig) bool { return c.ID == configID })
}

// DeleteAll implements push.ConfigStore.
func (h *hooks) DeleteAll(_ context.Context, id a2a.TaskID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.configs, id)
	return nil
}

// SendPush implements push.Sender. A webhook that fails does not stop the task.
//
// https://a2a-protocol.org/latest/specification/#433-push-notification-payload
func (h *hooks) SendPush(ctx context.Context, config *a2a.PushConfig, event a2a.Event) error {
	if !isLocal(config.URL) {
		return nil
	}
	body, err := json.Marshal(a2a.StreamResponse{Event: event})
	if err != nil {
		return fmt.Errorf("encoding a push notification: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, config.URL, bytes.NewReader(body))
	if err != nil {
		return nil //nolint:nilerr // the task goes on
	}
	req.Header.Set("Content-Type", mediaA2A)
	if config.Token != "" {
		req.Header.Set("X-A2A-Notification-Token", config.Token) //nolint:canonicalheader // as A2A spells it
	}
	if config.Auth != nil && config.Auth.Credentials != "" {
		req.Header.Set("Authorization", config.Auth.Scheme+" "+config.Auth.Credentials)
	}
	if resp, err := h.client.Do(req); err == nil {
		_ = resp.Body.Close() // nothing in it is of interest
	}
	return nil
}
