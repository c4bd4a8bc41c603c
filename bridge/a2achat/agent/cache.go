package agent

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// cache keeps the card.
type cache struct {
	mu      sync.Mutex
	card    Card
	have    bool
	until   time.Time // when a new one is to be asked for
	doubted bool      // a call has failed in a way that another card may mend
	fetch   *fetch    // the one that is under way; nil without
	running sync.WaitGroup
}

// fetch is one fetch of the card, which several callers may wait for.
type fetch struct {
	done chan struct{}
	card Card // once done
	err  error
}

// retry is how long a refresh that failed is left alone.
const retry = 10 * time.Second

// get returns the card that is there, and begins to fetch another one where that is
// old. It waits for one where there is none, or where it is doubted.
func (c *cache) get(ctx context.Context, a *Agent) (Card, error) {
	c.mu.Lock()
	card, wait := c.card, !c.have || c.doubted
	if !wait && a.config.Now().Before(c.until) {
		c.mu.Unlock()
		return card, nil
	}
	f := c.begin(a)
	c.mu.Unlock()
	if !wait {
		return card, nil
	}
	select {
	case <-f.done:
		return f.card, f.err
	case <-ctx.Done():
		return Card{}, context.Cause(ctx)
	}
}

// begin joins the fetch that is under way, or begins one. It lives as long as the
// agent, not as the caller who happened to come first.
func (c *cache) begin(a *Agent) *fetch {
	if c.fetch != nil {
		return c.fetch
	}
	f, old := &fetch{done: make(chan struct{})}, c.card
	c.fetch = f
	c.running.Go(func() {
		ctx, cancel := context.WithTimeout(a.life, a.config.Timeout)
		defer cancel()
		card, err := a.fetch(ctx, old)
		c.end(f, card, err, a)
	})
	return f
}

// end keeps what was fetched. A failure leaves the card that is there.
func (c *cache) end(f *fetch, card Card, err error, a *Agent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(f.done)
	c.fetch, c.doubted = nil, false
	now := a.config.Now()
	if (err != nil || card.Assumed != "") && c.have && c.card.Assumed == "" {
		f.card, c.until = c.card, now.Add(retry)
		return
	}
	if f.card, f.err = card, err; err != nil {
		return
	}
	card.Fetched = now
	f.card, c.card, c.have = card, card, true
	c.until = now.Add(lifetime(card.found.Reply.Header, now, a.config.CardTTL))
}

// doubt has the next caller wait for a new card.
func (c *cache) doubt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubted = true
}

// learn notes what a call has shown of the agent, until there is a new card.
func (c *cache) learn(note func(*Card)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	note(&c.card)
}

func (c *cache) wait() { c.running.Wait() }

// lifetime returns how long an answer may be used (RFC 9111, section 4.2.1); other
// where its head does not say.
func lifetime(h http.Header, now time.Time, other time.Duration) time.Duration {
	const most = 24 * time.Hour
	age, _ := strconv.Atoi(h.Get("Age")) // what is no number is no age
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			if seconds, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil {
				return min(time.Duration(max(0, min(seconds, int(most/time.Second))-age))*time.Second, most)
			}
		}
	}
	if at, err := http.ParseTime(h.Get("Expires")); err == nil {
		return max(0, min(at.Sub(now), most))
	}
	return other
}
