// Package loop lets a model choose the calls: it asks an OpenAI-compatible server, has the
// calls made, feeds the results back, and streams what the model says.
//
// It imports openai, errclass, redact and wire of this module.
//
// https://platform.openai.com/docs/api-reference/chat
package loop

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/wire"
)

// Config says which model server is asked, and how much. URL is required.
type Config struct {
	URL    string       // up to and with /v1
	Key    string       // "" without
	Model  string       // for requests that name none; "" leaves it to the server
	Client *http.Client // nil means one that follows no redirect

	Rounds int           // how often the model is asked; 0 means 10
	Tokens int64         // of all rounds; 0 means no bound
	Size   int           // bytes of what one round answers; 0 means 16 MiB
	Total  int           // bytes of the conversation as it is sent to the model; 0 means 64 MiB
	Time   time.Duration // of all rounds; 0 means 5 minutes
	Fresh  time.Duration // how long the list of models is good; 0 means a minute

	Now    func() time.Time                                 // nil means time.Now
	Wait   func(ctx context.Context, d time.Duration) error // before a request is repeated; nil means a timer
	Random io.Reader                                        // makes ids of calls; nil means crypto/rand
}

// Client asks a model server. It is made by New, and may be used by many goroutines.
type Client struct {
	c      Config
	redact *redact.Redactor
	models models
	kept   kept
}

// New returns a client with the defaults filled in.
func New(c Config) *Client {
	if c.Client == nil {
		c.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	c.URL = strings.TrimSuffix(c.URL, "/")
	c.Rounds, c.Size, c.Total = cmp.Or(c.Rounds, 10), cmp.Or(c.Size, 16<<20), cmp.Or(c.Total, wire.DefaultLimit)
	c.Time, c.Fresh = cmp.Or(c.Time, 5*time.Minute), cmp.Or(c.Fresh, time.Minute)
	digests := make([]byte, 32)
	_, _ = rand.Read(digests) // it never fails
	l := &Client{c: c, redact: redact.New(digests), models: models{turn: make(chan struct{}, 1)}}
	if c.Key != "" {
		l.redact = l.redact.Known(c.Key)
	}
	return l
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Request is what the model is to answer.
type Request struct {
	Body      json.RawMessage // of the chat completion request
	Model     string          // "" means Config.Model
	Functions json.RawMessage // the tools of ours, as an array of OpenAI functions
	Caller    string          // what is kept for one caller is given to no other
	NoRetry   bool            // the caller wants to come again himself
}

// Execute makes the calls of one round, and returns a result for each, in their order.
type Execute func(ctx context.Context, calls []openai.ToolCall) []Result

// Result is what came of a call.
type Result struct {
	ID       string
	Content  json.RawMessage // of its tool message
	Report   any             // what the client is told of it
	Harmless bool            // the request as a whole may be made again in spite of it
}

// Reply is what of openai.Reply the loop writes to.
type Reply interface {
	Text(s string) error
	Delta(name string, value json.RawMessage) error
	ToolCalls(calls []openai.ToolCall) error
	Extra(name string, value any)
	Finish(reason string, u openai.Usage) error
}

// Run answers the request with the model, for which execute makes the calls of our functions.
//
// The client's own tools stand beside them. A round in which the model calls one of those
// ends the answer: our calls of that round are made, the client's are handed to it. What the
// model was told meanwhile, our calls and results, stands in the member peerwright.messages
// of the answer, for the client to put before its own results; a client that knows nothing
// of it sends the assistant's message as it got it, in the place of which it is then put
// by Run, as long as this Client remembers it.
//
// A failure is an openai.Failure, with peerwright beside its error where calls were made. It
// may be retried only if all of them may be made again.
func (l *Client) Run(ctx context.Context, q Request, execute Execute, reply Reply) error {
	r, err := l.begin(q, execute, reply)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, l.c.Time)
	defer cancel()
	return r.told(r.rounds(bounded))
}
