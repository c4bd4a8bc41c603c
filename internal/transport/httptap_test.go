package transport_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// canned is a transport whose every answer has the body.
type canned struct {
	contentType string
	body        io.Reader
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(c.body),
		Header: http.Header{"Content-Type": {c.contentType}},
	}, nil
}

// Whatever comes, in whatever pieces: the consumer gets it as it is, and the frames
// add up to it.
func FuzzTapPassesBytes(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "\r\n\r\n", "data: a\n\n", "data: a\r\rdata: b\r\n\r\n\n\n", "\uFEFFid: 1\n\n:\n\n", "data", "\xff\x00\r",
		strings.Repeat("\n", 3000), "data: " + strings.Repeat("x", 70000) + "\r\n\r\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, bytewise bool) {
		for _, contentType := range []string{"text/event-stream", "application/json", "text/plain"} {
			var frames []wire.Frame
			source := io.Reader(bytes.NewReader(body))
			if bytewise {
				source = iotest.OneByteReader(source)
			}
			client := transport.NewHTTP(transport.Options{Tap: func(f wire.Frame) { frames = append(frames, f) }}, canned{contentType, source})
			resp, err := client.Do(t.Context(), transport.HTTPRequest{Method: "GET", URL: "http://localhost/"})
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			client.Close()
			if err != nil || !bytes.Equal(got, body) {
				t.Fatalf("%s: the consumer got %q, %v", contentType, got, err)
			}
			if all := joined(frames, wire.In); !bytes.Equal(all, body) {
				t.Fatalf("%s: the frames add up to %q", contentType, all)
			}
			if last := frames[len(frames)-1]; last.Kind != wire.FrameClose || last.Note != "" {
				t.Fatalf("%s: the last frame is %+v", contentType, last)
			}
		}
	})
}

// cancelling is a transport that ends the context just before the head of the answer.
type cancelling struct {
	canned
	cancel func()
}

func (c cancelling) RoundTrip(r *http.Request) (*http.Response, error) {
	c.cancel()
	return c.canned.RoundTrip(r)
}

func TestContextThatEndsWithTheHead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := transport.NewHTTP(transport.Options{}, cancelling{canned{"text/plain", strings.NewReader("x")}, cancel})
	defer client.Close()
	if resp, err := client.Do(ctx, transport.HTTPRequest{Method: "GET", URL: "http://localhost/"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v; a body that is cut already is no answer", resp, err)
	}
}

func TestTapNotesAnEarlyClose(t *testing.T) {
	var frames []wire.Frame
	client := transport.NewHTTP(transport.Options{Tap: func(f wire.Frame) { frames = append(frames, f) }},
		canned{"text/event-stream", strings.NewReader("data: a\n\ndata: b\n\n")})
	defer client.Close()
	resp, err := client.Do(t.Context(), transport.HTTPRequest{Method: "GET", URL: "http://localhost/"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 12)); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	_ = resp.Body.Close()
	want := []string{"out request", "in response", "in event", "in chunk", "in close"}
	if got := kinds(frames); strings.Join(got, ",") != strings.Join(want, ",") {
		t.Errorf("got %q", got)
	}
	if last := frames[len(frames)-1]; !strings.Contains(last.Note, "before the end") {
		t.Errorf("got note %q", last.Note)
	}
}

func TestTapPassesOverWhatIsOverTheLimit(t *testing.T) {
	body := "data: " + strings.Repeat("x", 5000) + "\n\ndata: b\n\n"
	var frames []wire.Frame
	client := transport.NewHTTP(transport.Options{Limit: 1000, Tap: func(f wire.Frame) { frames = append(frames, f) }},
		canned{"text/event-stream", strings.NewReader(body)})
	defer client.Close()
	resp, err := client.Do(t.Context(), transport.HTTPRequest{Method: "GET", URL: "http://localhost/"})
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, resp.Body); string(got) != body {
		t.Errorf("the consumer got %d bytes, want %d", len(got), len(body))
	}
	if lost, next := frames[2], frames[3]; lost.Kind != wire.FrameChunk || lost.Note == "" || string(next.Event.Data) != "b" {
		t.Errorf("got %+v and %+v", lost, next)
	}
}

func BenchmarkTap(b *testing.B) {
	event := "id: 1\ndata: " + strings.Repeat("x", 1<<10) + "\n\n"
	body := strings.Repeat(event, 1<<10)
	for name, tap := range map[string]wire.Tap{"bare": nil, "tapped": func(wire.Frame) {}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				client := transport.NewHTTP(transport.Options{Tap: tap}, canned{"text/event-stream", strings.NewReader(body)})
				resp, err := client.Do(b.Context(), transport.HTTPRequest{Method: "GET", URL: "http://localhost/"})
				if err != nil {
					b.Fatal(err)
				}
				buf := make([]byte, 32<<10)
				for err == nil {
					_, err = resp.Body.Read(buf)
				}
				_ = resp.Body.Close()
				client.Close()
			}
		})
	}
}
