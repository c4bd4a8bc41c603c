package a2achat_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/store"
)

// What a2a-bridge leaves undone with questions and conversations, one gap a test.

func TestGapOlderTextIsNeverSent(t *testing.T) {
	s := newScript(t, echo)
	a := bridgeTo(t, s).ask(t, object{"messages": []object{{"role": "user", "content": "old"}, {"role": "user", "content": nil}}})
	if a.status != 400 || a.failure.Class != "invalid_args" || len(s.got()) != 0 {
		t.Errorf("%d %s", a.status, a.raw)
	}
}

func TestGapImagesAndFilesReachTheAgent(t *testing.T) {
	s := newScript(t, echo)
	s.card["defaultInputModes"] = []string{"text/plain", "image/*", "application/pdf", "audio/mpeg"}
	b := bridgeTo(t, s)
	content := []object{
		{"type": "text", "text": "what is "},
		{"type": "image_url", "image_url": object{"url": "data:image/png;base64,iVBORw0KGgo="}},
		{"type": "text", "text": "this?"},
		{"type": "image_url", "image_url": object{"url": "https://example.com/a%20b/cat.jpeg?x=1"}},
		{"type": "file", "file": object{"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "note.pdf"}},
		{"type": "input_audio", "input_audio": object{"data": "SUQz", "format": "mp3"}},
	}
	if a := b.ask(t, object{"messages": []object{{"role": "user", "content": content}}}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.raw)
	}
	got := s.got()[0].Message.Parts
	if len(got) != 6 {
		t.Fatalf("%d parts: %+v", len(got), got)
	}
	if got[0].Text != "what is " || got[2].Text != "this?" {
		t.Errorf("the texts moved: %+v", got)
	}
	if f := got[1].File; f.MimeType != "image/png" || f.Bytes != "iVBORw0KGgo=" {
		t.Errorf("%+v", f)
	}
	if f := got[3].File; f.MimeType != "image/jpeg" || f.URI != "https://example.com/a%20b/cat.jpeg?x=1" {
		t.Errorf("%+v", f)
	}
	if f := got[4].File; f.MimeType != "application/pdf" || f.Bytes != "JVBERi0=" || f.Name != "note.pdf" {
		t.Errorf("%+v", f)
	}
	if f := got[5].File; f.MimeType != "audio/mpeg" || f.Bytes != "SUQz" {
		t.Errorf("%+v", f)
	}
}

func TestGapWhatIsNotTakenIsNotDropped(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s)
	for name, c := range map[string]struct {
		part   object
		status int
		want   string
	}{
		"an image":      {object{"type": "image_url", "image_url": object{"url": "data:image/png;base64,iVBORw0KGgo="}}, 422, "image/png"},
		"a named file":  {object{"type": "file", "file": object{"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "note.pdf"}}, 422, "note.pdf"},
		"a file's id":   {object{"type": "file", "file": object{"file_id": "file-1"}}, 400, "file_id"},
		"no base64":     {object{"type": "image_url", "image_url": object{"url": "data:image/png;base64,***"}}, 400, "base64"},
		"no address":    {object{"type": "image_url", "image_url": object{"url": "file:///etc/passwd"}}, 400, "image_url"},
		"another type":  {object{"type": "video_url", "video_url": object{"url": "https://x/y"}}, 400, "video_url"},
		"another shape": {object{"type": "image_url", "image_url": 7}, 400, "image_url"},
	} {
		content := []object{{"type": "text", "text": "look: "}, c.part}
		a := b.ask(t, object{"messages": []object{{"role": "user", "content": content}}})
		if a.status != c.status || a.failure.Class != "invalid_args" || !strings.Contains(a.failure.Message, c.want) {
			t.Errorf("%s: %d %s", name, a.status, a.raw)
		}
	}
	if n := len(s.got()); n != 0 {
		t.Errorf("%d messages reached the agent", n)
	}
}

func TestGapSystemMessageIsNotDroppedInSilence(t *testing.T) {
	s := newScript(t, echo)
	a := bridgeTo(t, s).ask(t, object{"messages": []object{{"role": "system", "content": "be short"}, {"role": "user", "content": "hi"}}})
	if a.content != "echo: hi" || len(a.about.Warnings) != 1 || !strings.Contains(a.about.Warnings[0], "system") {
		t.Errorf("%s", a.raw)
	}
}

func TestGapConversationIsMintedNotHashed(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s)
	for i, first := range both(t, b, func() object { return user("hi") }) {
		id := first.header.Get("X-Conversation-Id")
		if id == "" || first.conversation != id {
			t.Fatalf("header %q, member %q", id, first.conversation)
		}
		second := user("again")
		second["conversation_id"] = id
		if a := b.ask(t, second); a.conversation != id {
			t.Errorf("the conversation is %q now", a.conversation)
		}
		if calls := s.got(); calls[2+i].Message.ContextID != "ctx-"+calls[i].Message.MessageID {
			t.Errorf("context %q", calls[2+i].Message.ContextID)
		}
	}
	if one, two := b.ask(t, user("hi")), b.ask(t, user("hi")); one.conversation == two.conversation {
		t.Error("two requests that name no conversation share one")
	}
}

func TestGapPlaceholderNamesNoConversation(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s)
	for range 2 {
		body := user("hi")
		body["user"] = "{{LIBRECHAT_USER_ID}}"
		b.ask(t, body, "X-Conversation-Id", "{{LIBRECHAT_BODY_CONVERSATIONID}}")
	}
	if c := s.got()[1].Message.ContextID; c != "" {
		t.Errorf("a placeholder joined two chats in context %q", c)
	}
}

func TestGapBackgroundTasksStayOutOfTheConversation(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s, func(c *a2achat.AgentConfig) { c.TaskHeader = "X-OpenWebUI-Task" })
	if a := b.ask(t, user("make a title"), "X-OpenWebUI-Task", "title_generation"); a.status != 422 || !strings.Contains(a.failure.Message, "title_generation") {
		t.Errorf("%d %s", a.status, a.raw)
	}
	for _, none := range []string{"", "{{TASK}}"} {
		if a := b.ask(t, user("hi"), "X-OpenWebUI-Task", none); a.content != "echo: hi" {
			t.Errorf("%q: %d %s", none, a.status, a.raw)
		}
	}
	if n := len(s.got()); n != 2 {
		t.Errorf("%d messages reached the agent", n)
	}
}

func TestGapUserNeedNotBeAConversation(t *testing.T) {
	s := newScript(t, echo)
	for _, merged := range []bool{true, false} {
		b := bridgeTo(t, s, func(c *a2achat.AgentConfig) { c.UserIsConversation = &merged })
		for range 2 {
			body := user("hi")
			body["user"] = "ann"
			b.ask(t, body)
		}
		calls := s.got()
		if joined := calls[len(calls)-1].Message.ContextID != ""; joined != merged {
			t.Errorf("user_is_conversation %v: joined %v", merged, joined)
		}
	}
}

func TestGapTwoFirstTurnsShareOneContext(t *testing.T) {
	var mu sync.Mutex
	minted := 0
	release := make(chan struct{})
	s := newScript(t, func(w http.ResponseWriter, c call) {
		if c.Message.ContextID == "" {
			mu.Lock()
			minted++
			mu.Unlock()
			<-release
		}
		echo(w, c)
	}).blocking()
	b := bridgeTo(t, s)
	var asked sync.WaitGroup
	for range 10 {
		asked.Go(func() {
			if a, err := b.try(context.Background(), user("hi"), "X-Conversation-Id", "c1"); err != nil || a.content != "echo: hi" {
				t.Errorf("%v %s", err, a.raw)
			}
		})
	}
	waitFor(t, func() bool { return len(s.got()) > 0 })
	close(release)
	asked.Wait()
	if minted != 1 {
		t.Errorf("%d contexts were minted", minted)
	}
}

func TestGapWaitForTheFirstTurnIsBounded(t *testing.T) {
	release := make(chan struct{})
	s := newScript(t, func(w http.ResponseWriter, c call) {
		w.Header().Set("Content-Type", "text/event-stream")
		for waiting := true; waiting; { // which is alive, and says nothing
			_, _ = w.Write([]byte(": still here\n\n"))
			w.(http.Flusher).Flush()
			select {
			case <-release:
				waiting = false
			case <-time.After(50 * time.Millisecond):
			}
		}
		echo(w, c)
	})
	b := bridgeTo(t, s, httpError, func(c *a2achat.AgentConfig) { c.TimeoutS = ptr(0.5) })
	first := make(chan answer)
	go func() {
		a, _ := b.try(context.Background(), user("hi"), "X-Conversation-Id", "c1")
		first <- a
	}()
	waitFor(t, func() bool { return len(s.got()) == 1 })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.try(ctx, user("hi"), "X-Conversation-Id", "c1"); err == nil {
		t.Error("a client that left got an answer")
	}
	a := b.ask(t, user("second"), "X-Conversation-Id", "c1")
	if a.status != 504 || a.failure.Context.Outcome != "not_run" || !strings.Contains(a.failure.Message, "still being answered") {
		t.Errorf("%d %s", a.status, a.raw)
	}
	close(release)
	if a := <-first; a.content != "echo: hi" {
		t.Errorf("%d %s", a.status, a.raw)
	}
	if n := len(s.got()); n != 1 {
		t.Errorf("%d messages reached the agent", n)
	}
}

func TestGapDisconnectLosesNothing(t *testing.T) {
	release := make(chan struct{})
	s := newScript(t, func(w http.ResponseWriter, c call) {
		ctx := c.context("ctx-1")
		c.events(w, statusEvent(ctx, said("working", "Searching…"), false))
		<-release
		c.events(w, artifactEvent(ctx, artifact("a", parts("done"))), completed(ctx))
	})
	kept := newStore(t)
	b := newBridge(t, a2achat.Options{Store: kept, Agents: []a2achat.AgentConfig{{ID: "helper", CardURL: s.URL}}}, openai.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = b.try(ctx, streamed(user("hi")), "X-Conversation-Id", "c1")
	}()
	key := store.SessionKey{Agent: "helper", Conversation: "c1"}
	waitFor(t, func() bool { c, _ := kept.Context(context.Background(), key); return c == "ctx-1" })
	cancel()
	<-gone
	waitFor(t, func() bool { return b.active.Load() == 0 })
	close(release)
	waitFor(t, func() bool { turns, _ := kept.Turns(context.Background(), store.TurnFilter{}); return len(turns) == 1 })
	turns, _ := kept.Turns(context.Background(), store.TurnFilter{})
	if turns[0].State != "completed" || turns[0].Task != "task-1" {
		t.Errorf("%+v", turns[0])
	}
	for _, c := range s.got() {
		if c.Method == "tasks/cancel" {
			t.Error("the task was cancelled")
		}
	}
	if waitFor(t, func() bool { return strings.Contains(b.log.String(), "msg=turn") }); !strings.Contains(b.log.String(), "client_gone=true") {
		t.Error(b.log)
	}
}

// waitFor waits until it is so.
func waitFor(t *testing.T, so func() bool) {
	t.Helper()
	for range 2000 {
		if so() {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatal("it did not happen within ten seconds")
}
