package openai_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/openai"
)

// dial opens a connection to the server at base, and writes the text to it.
func dial(t *testing.T, base, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"

func TestABodyThatStallsIsGivenUp(t *testing.T) {
	o := chats(echo)
	o.Stall = 20 * time.Millisecond
	c := dial(t, start(t, o), fmt.Sprintf(head, len(hello), hello[:10]))
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	if e := readEnvelope(t, string(body)).Error; res.StatusCode != 408 || e.Class != "timeout" || !e.Retryable || e.Context.Outcome != "not_run" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

func TestABodyThatEndsEarlyIsMalformed(t *testing.T) {
	var log lines
	o := chats(echo)
	o.Log = log.logger()
	c := dial(t, start(t, o), fmt.Sprintf(head, len(hello), hello[:10]))
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text := log.wait(t, 1); !strings.Contains(text, `"status":400`) {
		t.Errorf("log: %s", text)
	}
}

func TestAClientThatDoesNotReadHoldsUpNobody(t *testing.T) {
	ended := make(chan error, 1)
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		text := strings.Repeat("x", 1<<20)
		for {
			if err := reply.Text(text); err != nil {
				ended <- err
				return err
			}
		}
	})
	o.Stall = 50 * time.Millisecond
	dial(t, start(t, o), fmt.Sprintf(head, len(streamed), streamed))
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAnAnswerMayTakeLongerThanTheClientMayStall(t *testing.T) {
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		if err := reply.Text("a"); err != nil {
			return err
		}
		<-time.After(100 * time.Millisecond)
		return reply.Text("b")
	})
	o.Stall = 20 * time.Millisecond
	base := start(t, o)
	for range 2 { // on the same connection
		if got := wholeContent(t, base); got != "ab" {
			t.Errorf("%q", got)
		}
		if got := content(mustChunks(t, base)); got != "ab" {
			t.Errorf("%q", got)
		}
	}
}

func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	o := chats(echo)
	o.Stall, o.Keys = 500*time.Millisecond, []string{"k1"}
	c := dial(t, start(t, o), fmt.Sprintf(head, len(hello), hello[:10]))
	if res, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || res.StatusCode != http.StatusUnauthorized {
		t.Errorf("%v %v", res, err)
	}
}
