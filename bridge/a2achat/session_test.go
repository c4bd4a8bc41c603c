package a2achat_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/store"
)

func helper(url string) a2achat.Options {
	return a2achat.Options{Agents: []a2achat.AgentConfig{{ID: "helper", CardURL: url}}}
}

// asks asks back until it is told a city, in a task that waits for it.
func asks(w http.ResponseWriter, c call) {
	ctx := c.context("ctx-1")
	state, text := "input-required", "Which city?"
	if c.Message.TaskID != "" {
		state, text = "completed", "Booked: "+c.Message.Parts[0].Text
	}
	a := artifact("a-"+state, parts(text))
	c.say(w, task(ctx, state, a), artifactEvent(ctx, a), statusEvent(ctx, object{"state": state}, true))
}

func TestTaskThatWaitsIsContinuedAlsoAfterARestart(t *testing.T) {
	s := newScript(t, asks)
	o := helper(s.URL)
	o.Store = newStore(t)
	if a := newBridge(t, o, openai.Options{}).ask(t, user("book"), "X-Conversation-Id", "c1"); a.content != "Which city?" {
		t.Fatal(a.raw)
	}
	second := newBridge(t, o, openai.Options{}) // with nothing but the store of the first
	if a := second.ask(t, streamed(user("Paris")), "X-Conversation-Id", "c1"); a.content != "Booked: Paris" {
		t.Fatal(a.raw)
	}
	if a := second.ask(t, user("another"), "X-Conversation-Id", "c1"); a.content != "Which city?" {
		t.Fatal(a.raw)
	}
	calls := s.got()
	if m := calls[1].Message; m.TaskID != "task-1" || m.ContextID != "ctx-1" {
		t.Errorf("the answer went to task %q in context %q", m.TaskID, m.ContextID)
	}
	if m := calls[2].Message; m.TaskID != "" || m.ContextID != "ctx-1" {
		t.Errorf("a new question went to task %q in context %q", m.TaskID, m.ContextID)
	}
}

func TestTaskThatIsGoneIsNotATrap(t *testing.T) {
	for _, code := range []int{-32001, -32602} {
		s := newScript(t, func(w http.ResponseWriter, c call) {
			switch {
			case c.Message.TaskID != "":
				c.fail(w, code, "no such task")
			case c.Message.ContextID != "":
				echo(w, c)
			default:
				asks(w, c)
			}
		})
		b := bridgeTo(t, s)
		b.ask(t, user("book"), "X-Conversation-Id", "c1")
		if a := b.ask(t, user("Paris"), "X-Conversation-Id", "c1"); a.content != "echo: Paris" {
			t.Errorf("%d: %s", code, a.raw)
		}
		calls := s.got()
		if len(calls) != 3 || calls[2].Message.ContextID != "ctx-1" || calls[2].Message.MessageID == calls[1].Message.MessageID {
			t.Errorf("%d: %d calls", code, len(calls))
		}
	}
}

func TestRateLimitedAnswerToATaskIsNotRepeated(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		if c.Message.TaskID != "" {
			w.WriteHeader(429)
			return
		}
		asks(w, c)
	})
	b := bridgeTo(t, s)
	b.ask(t, user("book"), "X-Conversation-Id", "c1")
	for range 2 { // the task still waits for the next one
		if a := b.ask(t, user("Paris"), "X-Conversation-Id", "c1"); a.failure.Class != "rate_limit" {
			t.Error(a.raw)
		}
	}
	if calls := s.got(); len(calls) != 3 || calls[2].Message.TaskID != "task-1" {
		t.Errorf("%d calls", len(calls))
	}
}

func TestCallersDoNotShareConversations(t *testing.T) {
	s := newScript(t, echo)
	o := helper(s.URL)
	o.Store = newStore(t)
	b := newBridge(t, o, openai.Options{Keys: []string{"key one", "key two"}})
	for _, key := range []string{"one", "two", "one"} {
		b.ask(t, user("hi"), "X-Conversation-Id", "c1", "Authorization", "Bearer key "+key)
	}
	calls := s.got()
	if calls[1].Message.ContextID != "" {
		t.Error("a caller goes on with another's conversation")
	}
	if calls[2].Message.ContextID != "ctx-"+calls[0].Message.MessageID {
		t.Error("a caller's conversation was lost")
	}
	turns, err := a2achat.Turns(context.Background(), o.Store, store.TurnFilter{Conversation: "c1", Limit: 2})
	if err != nil || len(turns) != 2 || turns[0].Conversation != "c1" || turns[0].Caller == "" || turns[0].Caller == turns[1].Caller {
		t.Errorf("%+v, %v", turns, err)
	}
	all, err := a2achat.Turns(context.Background(), o.Store, store.TurnFilter{Limit: 1})
	if err != nil || len(all) != 1 || all[0].Context != "ctx-"+calls[0].Message.MessageID || all[0].Seq != 2 {
		t.Errorf("the newest: %+v, %v", all, err)
	}
}

func TestConversationCannotBeForgedByItsName(t *testing.T) {
	s := newScript(t, echo)
	o := helper(s.URL)
	o.Store = newStore(t)
	secured := newBridge(t, o, openai.Options{Keys: []string{"key one"}})
	secured.ask(t, user("hi"), "X-Conversation-Id", "c1", "Authorization", "Bearer key one")
	turns, _ := o.Store.Turns(context.Background(), store.TurnFilter{})
	open := newBridge(t, o, openai.Options{})
	open.ask(t, user("hi"), "X-Conversation-Id", turns[0].Conversation)
	if c := s.got()[1].Message.ContextID; c != "" {
		t.Errorf("the name %s led to context %q", turns[0].Conversation, c)
	}
	if all, err := a2achat.Turns(context.Background(), o.Store, store.TurnFilter{}); err != nil || all[1].Conversation != turns[0].Conversation || all[1].Caller != "" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestCredentialThatIsPassedThroughReachesTheAgent(t *testing.T) {
	s := newScript(t, echo)
	b := newBridge(t, helper(s.URL), openai.Options{Keys: []string{"key one"}, AllowPassthrough: true})
	b.ask(t, user("hi"), "X-API-Key", "key one", "Authorization", "Bearer mine")
	b.ask(t, user("hi"), "Authorization", "Bearer key one")
	calls := s.got()
	if got := calls[0].Header.Get("Authorization"); got != "Bearer mine" {
		t.Errorf("the agent got %q", got)
	}
	if got := calls[1].Header.Get("Authorization"); got != "" {
		t.Errorf("the bridge's key reached the agent: %q", got)
	}
}

// diary remembers how many turns each context has had.
type diary struct {
	mu    sync.Mutex
	turns map[string]int
}

func (m *diary) answer(w http.ResponseWriter, c call) {
	m.mu.Lock()
	ctx := c.context(fmt.Sprintf("ctx-%d", len(m.turns)+1))
	m.turns[ctx]++
	n := m.turns[ctx]
	m.mu.Unlock()
	a := artifact("a-"+c.Message.MessageID, parts(fmt.Sprintf("turn %d of %s", n, ctx)))
	tk := task(ctx, "completed", a)
	tk["id"] = "task-" + c.Message.MessageID
	c.result(w, tk)
}

func TestTwoBridgesKeepOneConversationStraight(t *testing.T) {
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			m := &diary{turns: map[string]int{}}
			s := newScript(t, m.answer).blocking()
			one, two := helper(s.URL), helper(s.URL)
			one.Store, two.Store = open(t), open(t)
			bridges := []*bridge{newBridge(t, one, openai.Options{}), newBridge(t, two, openai.Options{})}
			const conversations, turns = 3, 50
			var asked sync.WaitGroup
			for i := range conversations * turns {
				asked.Go(func() {
					id := fmt.Sprintf("c%d", i%conversations)
					a, err := bridges[i/conversations%2].try(context.Background(), user("hi"), "X-Conversation-Id", id)
					if err != nil || !strings.HasPrefix(a.content, "turn ") {
						t.Errorf("%v %s", err, a.raw)
					}
				})
			}
			asked.Wait()
			if len(m.turns) != conversations {
				t.Errorf("%d conversations have %d contexts: %v", conversations, len(m.turns), m.turns)
			}
			for ctx, n := range m.turns {
				if n != turns {
					t.Errorf("%s has had %d turns", ctx, n)
				}
			}
			recorded, err := one.Store.Turns(context.Background(), store.TurnFilter{})
			if err != nil || len(recorded) != conversations*turns {
				t.Errorf("%d turns were recorded, %v", len(recorded), err)
			}
		})
	}
}

func TestContextThatIsKnownHoldsUpNobody(t *testing.T) {
	release := make(chan struct{})
	s := newScript(t, func(w http.ResponseWriter, c call) {
		if strings.Contains(string(c.Params), "slow") {
			c.events(w, statusEvent(c.context("ctx-1"), object{"state": "working"}, false)) // which names the context
			<-release
		}
		echo(w, c)
	})
	b := bridgeTo(t, s)
	slow := make(chan answer)
	go func() {
		a, _ := b.try(context.Background(), streamed(user("slow")), "X-Conversation-Id", "c1")
		slow <- a
	}()
	waitFor(t, func() bool { return len(s.got()) == 1 })
	if a := b.ask(t, user("quick"), "X-Conversation-Id", "c1"); a.content != "echo: quick" {
		t.Error(a.raw)
	}
	if c := s.got()[1].Message.ContextID; c != "ctx-1" {
		t.Errorf("context %q", c)
	}
	close(release)
	<-slow
}

func TestFirstTurnThatFailsLetsTheNextOneGo(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		if strings.Contains(string(c.Params), "fail") {
			w.WriteHeader(500)
			return
		}
		echo(w, c)
	})
	b := bridgeTo(t, s)
	b.ask(t, user("fail"), "X-Conversation-Id", "c1")
	if a := b.ask(t, user("hi"), "X-Conversation-Id", "c1"); a.content != "echo: hi" {
		t.Error(a.raw)
	}
}

func TestStoreThatRecoversIsBroughtUpToDate(t *testing.T) {
	s := newScript(t, echo)
	o := helper(s.URL)
	kept := &sick{Store: newStore(t)}
	o.Store = kept
	b := newBridge(t, o, openai.Options{})
	kept.writes.Store(true)
	b.ask(t, user("hi"), "X-Conversation-Id", "c1")
	kept.writes.Store(false)
	b.ask(t, user("hi"), "X-Conversation-Id", "c1")
	minted := "ctx-" + s.got()[0].Message.MessageID
	if c := s.got()[1].Message.ContextID; c != minted {
		t.Errorf("context %q, want %q", c, minted)
	}
	if c, _ := kept.Context(context.Background(), store.SessionKey{Agent: "helper", Conversation: "c1"}); c != minted {
		t.Errorf("the store has %q", c)
	}
}

func TestContextOfAnOutageDoesNotReplaceTheOneBefore(t *testing.T) {
	s := newScript(t, echo)
	o := helper(s.URL)
	kept := &sick{Store: newStore(t)}
	o.Store = kept
	b := newBridge(t, o, openai.Options{})
	b.ask(t, user("one"), "X-Conversation-Id", "c1")
	kept.reads.Store(true)
	b.ask(t, user("two"), "X-Conversation-Id", "c1")
	b.ask(t, user("three"), "X-Conversation-Id", "c1")
	kept.reads.Store(false)
	b.ask(t, user("four"), "X-Conversation-Id", "c1")
	c := s.got()
	if c[1].Message.ContextID != "" || c[2].Message.ContextID != "ctx-"+c[1].Message.MessageID {
		t.Errorf("during the outage: %q, %q", c[1].Message.ContextID, c[2].Message.ContextID)
	}
	if c[3].Message.ContextID != "ctx-"+c[0].Message.MessageID {
		t.Errorf("after the outage: %q", c[3].Message.ContextID)
	}
}

func TestStoreThatHangsCostsNoAnswer(t *testing.T) {
	s := newScript(t, echo)
	o := helper(s.URL)
	o.Store = hanging{newStore(t)}
	b := newBridge(t, o, openai.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if a, err := b.try(ctx, user("hi")); err != nil || a.content != "echo: hi" {
		t.Errorf("%v %s", err, a.raw)
	}
}

// hanging is a store that does not come back from a write.
type hanging struct{ a2achat.Store }

func (hanging) PutContext(ctx context.Context, _ store.SessionKey, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestCloseWaitsForTurnsWithoutAClient(t *testing.T) {
	release := make(chan struct{})
	s := newScript(t, func(w http.ResponseWriter, c call) { <-release; echo(w, c) })
	o := helper(s.URL)
	o.Store = newStore(t)
	b := newBridge(t, o, openai.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = b.try(ctx, user("hi"))
	}()
	waitFor(t, func() bool { return len(s.got()) == 1 })
	cancel()
	<-gone
	waitFor(t, func() bool { return b.active.Load() == 0 })
	closed := make(chan error)
	go func() { closed <- b.backend.Close(context.Background()) }()
	close(release)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if turns, _ := o.Store.Turns(context.Background(), store.TurnFilter{}); len(turns) != 1 || turns[0].State != "completed" {
		t.Errorf("%+v", turns)
	}
	if a := b.ask(t, user("hi")); a.status != 503 || a.failure.Context.Outcome != "not_run" {
		t.Errorf("a closed bridge answers %d %s", a.status, a.raw)
	}
}

func TestCloseCutsWhatDoesNotEnd(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		c.events(w, statusEvent("ctx-1", object{"state": "working"}, false))
		<-c.gone
	})
	o := helper(s.URL)
	o.Store = newStore(t)
	b := newBridge(t, o, openai.Options{})
	go func() { _, _ = b.try(context.Background(), streamed(user("hi"))) }()
	waitFor(t, func() bool { return len(s.got()) == 1 })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := b.backend.Close(ctx); err == nil {
		t.Error("a turn that does not end was waited for")
	}
	if turns, _ := o.Store.Turns(context.Background(), store.TurnFilter{}); len(turns) != 1 || turns[0].State != "working" || turns[0].Context != "ctx-1" {
		t.Errorf("%+v", turns)
	}
}
