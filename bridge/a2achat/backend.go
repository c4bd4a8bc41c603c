package a2achat

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// Backend answers for any number of agents. It is made by New, and may be used by
// several goroutines at once.
type Backend struct {
	agents   []*endpoint // sorted by id
	sessions sessions
	now      func() time.Time
	random   io.Reader
	log      *slog.Logger
	metrics  *metrics

	life  context.Context // of turns, which may outlive their requests
	end   context.CancelCauseFunc
	mu    sync.Mutex // over closed and the first of turns
	turns sync.WaitGroup
	// closed is true once no turn may begin any more.
	closed bool
}

var _ openai.Backend = (*Backend)(nil)

var errClosed = errors.New("the bridge is shutting down")

// New returns a backend. It asks nothing of the agents; see Start. It fails where the
// configuration is wrong, or a variable of the environment that it names is not set.
func New(o Options) (*Backend, error) {
	o = o.withDefaults()
	agents, err := o.endpoints()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(agents, func(a, b *endpoint) int { return cmp.Compare(a.config.ID, b.config.ID) })
	b := &Backend{agents: agents, now: o.Now, random: o.Random, log: o.Log}
	b.sessions = sessions{store: o.Store, owner: "bridge " + b.hex(8), log: o.Log}
	if b.metrics, err = newMetrics(o.Metrics); err != nil {
		return nil, fmt.Errorf("counting the turns: %w", err)
	}
	b.life, b.end = context.WithCancelCause(context.Background())
	return b, nil
}

// Close lets the turns that are under way come to their end, and cuts short what is
// left of them when the context ends. No turn begins any more.
func (b *Backend) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	done := make(chan struct{})
	go func() {
		b.turns.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = fmt.Errorf("waiting for the agents to end their turns: %w", context.Cause(ctx))
	}
	b.end(errClosed)
	<-done
	for _, a := range b.agents {
		a.agent.Close()
	}
	return err
}

// admit counts a turn in, unless the backend is closed.
func (b *Backend) admit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errclass.New(errclass.Transient, errclass.Bridge, errclass.NotRun, "The bridge is shutting down. The message was not sent.", errclass.Call{})
	}
	b.turns.Add(1)
	return nil
}

// Models implements openai.Backend: a model for each agent, sorted by id.
func (b *Backend) Models(context.Context) []openai.Model {
	models := make([]openai.Model, 0, len(b.agents))
	for _, a := range b.agents {
		card, _ := a.agent.Known()
		models = append(models, openai.Model{ID: a.config.ID, OwnedBy: card.Name})
	}
	return models
}

// Serves implements openai.Backend.
func (b *Backend) Serves(_ context.Context, model string) bool { return b.find(model) != nil }

// find returns the agent with the id, nil without one.
func (b *Backend) find(id string) *endpoint {
	at, ok := slices.BinarySearchFunc(b.agents, id, func(a *endpoint, id string) int { return cmp.Compare(a.config.ID, id) })
	if !ok {
		return nil
	}
	return b.agents[at]
}

// hex returns n random bytes in hex digits.
func (b *Backend) hex(n int) string {
	raw := make([]byte, n)
	if _, err := io.ReadFull(b.random, raw); err != nil {
		panic(fmt.Errorf("reading randomness for an id: %w", err)) // without it all ids are the same
	}
	return hex.EncodeToString(raw)
}
