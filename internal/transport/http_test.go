package transport_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// tapped returns a client whose frames are kept, and a peer played by the handler.
func tapped(t *testing.T, opts transport.Options, peer http.HandlerFunc) (*transport.HTTP, string, *wire.Transcript) {
	t.Helper()
	server := httptest.NewServer(peer)
	t.Cleanup(server.Close)
	seen := wire.NewTranscript(time.Now)
	opts.Tap = seen.See
	client := transport.NewHTTP(opts, nil)
	t.Cleanup(client.Close)
	return client, server.URL, seen
}

func do(t *testing.T, client *transport.HTTP, r transport.HTTPRequest) *transport.HTTPResponse {
	t.Helper()
	resp, err := client.Do(t.Context(), r)
	if err != nil {
		t.Fatalf("Do: %v", err)
	}
	return resp
}

func readAll(t *testing.T, body io.ReadCloser) []byte {
	t.Helper()
	read, err := io.ReadAll(body)
	if err != nil {
		t.Fatalf("reading the body: %v", err)
	}
	if err := body.Close(); err != nil {
		t.Fatalf("closing the body: %v", err)
	}
	return read
}

// joined is the data of the frames that came, one after the other.
func joined(frames []wire.Frame, dir wire.Direction) []byte {
	var all []byte
	for _, f := range frames {
		if f.Dir == dir {
			all = append(all, f.Data...)
		}
	}
	return all
}

func kinds(frames []wire.Frame) []string {
	var out []string
	for _, f := range frames {
		out = append(out, string(f.Dir)+" "+string(f.Kind))
	}
	return out
}

func TestTapShowsWhatTravels(t *testing.T) {
	big := strings.Repeat("x", 3<<20)
	tests := []struct {
		name        string
		contentType string
		body        string
		want        []string // kinds of what came after the head
	}{
		{"json", "application/json; charset=utf-8", `{"a":1}`, []string{"in body", "in close"}},
		{"large json", "application/json", `"` + big + `"`, []string{"in body", "in close"}},
		{"text", "text/plain", "hello", []string{"in body", "in close"}},
		{"empty", "application/json", "", []string{"in close"}},
		{"events", "text/event-stream", "\uFEFFid: 1\ndata:\n\n: hi\r\n\r\ndata: a\r\rdata: b\n\n", []string{"in event", "in event", "in event", "in event", "in close"}},
		{"half an event", "text/event-stream", "data: a\n\ndata: b", []string{"in event", "in chunk", "in close"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, url, seen := tapped(t, transport.Options{}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				_, _ = io.WriteString(w, tt.body)
			})
			got := readAll(t, do(t, client, transport.HTTPRequest{Method: "POST", URL: url, Body: []byte("ask")}).Body)
			if string(got) != tt.body {
				t.Errorf("the consumer got %d bytes, want %d", len(got), len(tt.body))
			}
			frames := seen.Frames(0)
			if diff := cmp.Diff(append([]string{"out request", "out body", "in response"}, tt.want...), kinds(frames)); diff != "" {
				t.Error(diff)
			}
			if !bytes.Equal(joined(frames, wire.In), []byte(tt.body)) || string(joined(frames, wire.Out)) != "ask" {
				t.Errorf("the frames do not add up to what travelled")
			}
			if last := frames[len(frames)-1]; last.Note != "" || last.Exchange != 1 {
				t.Errorf("the last frame is %+v, want a clean end of exchange 1", last)
			}
		})
	}
}

func TestTapDecodesEvents(t *testing.T) {
	client, url, seen := tapped(t, transport.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 7\nretry: 30\ndata:\n\nevent: message\ndata: {}\n\n")
	})
	readAll(t, do(t, client, transport.HTTPRequest{Method: "GET", URL: url}).Body)
	var events []*wire.Event
	for _, f := range seen.Frames(0) {
		if f.Kind == wire.FrameEvent {
			events = append(events, f.Event)
		}
	}
	if len(events) != 2 || events[0].ID != "7" || events[0].Retry != 30 || string(events[1].Data) != "{}" || events[1].LastEventID != "7" {
		t.Errorf("got events %+v", events)
	}
}

// A tap that waited for the end of the stream would make this test hang.
func TestTapDelaysNothing(t *testing.T) {
	goOn := make(chan struct{})
	client, url, seen := tapped(t, transport.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, part := range []string{"data: 1\n\n", "data: half", " and half\n\n"} {
			_, _ = io.WriteString(w, part)
			_ = http.NewResponseController(w).Flush()
			<-goOn
		}
	})
	resp := do(t, client, transport.HTTPRequest{Method: "GET", URL: url})
	defer resp.Body.Close()
	for i, part := range []string{"data: 1\n\n", "data: half", " and half\n\n"} {
		got := make([]byte, 64)
		n, err := resp.Body.Read(got)
		if err != nil || string(got[:n]) != part {
			t.Fatalf("read %q, %v; want %q", got[:n], err, part)
		}
		if events := strings.Count(strings.Join(kinds(seen.Frames(0)), ","), "in event"); events != []int{1, 1, 2}[i] {
			t.Errorf("after part %d the tap has seen %d events", i, events)
		}
		goOn <- struct{}{}
	}
}

func TestTapKeepsNoLargeBody(t *testing.T) {
	const size = 64 << 20
	var sum, largest int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		block := make([]byte, 1<<20)
		for range size / len(block) {
			_, _ = w.Write(block)
		}
	}))
	defer server.Close()
	client := transport.NewHTTP(transport.Options{Tap: func(f wire.Frame) {
		sum, largest = sum+len(f.Data), max(largest, len(f.Data))
	}}, nil)
	defer client.Close()
	resp := do(t, client, transport.HTTPRequest{Method: "GET", URL: server.URL})
	if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
		t.Fatalf("read %d, %v", n, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if sum != size || largest > 2<<20 {
		t.Errorf("frames of %d bytes in all, the largest of %d; want %d in all and none over 2 MiB", sum, largest, size)
	}
}

func TestBodiesAreRaw(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte("data: x\n\n"))
	_ = z.Close()
	client, url, seen := tapped(t, transport.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "" {
			t.Errorf("Accept-Encoding %q was asked for by no one", got)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zipped.Bytes())
	})
	got := readAll(t, do(t, client, transport.HTTPRequest{Method: "GET", URL: url}).Body)
	if !bytes.Equal(got, zipped.Bytes()) || !bytes.Equal(joined(seen.Frames(0), wire.In), zipped.Bytes()) {
		t.Errorf("the compressed bytes did not pass as they are")
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	client, url, _ := tapped(t, transport.Options{}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	resp := do(t, client, transport.HTTPRequest{Method: "POST", URL: url, Body: []byte("x")})
	readAll(t, resp.Body)
	if resp.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("got status %d", resp.StatusCode)
	}
}

func TestHeaders(t *testing.T) {
	tests := []struct {
		name       string
		base, over http.Header
		want       map[string][]string // nil: must not be sent
	}{
		{
			"both",
			http.Header{"Authorization": {"Bearer x"}},
			http.Header{"Accept": {"a/b"}},
			map[string][]string{"Authorization": {"Bearer x"}, "Accept": {"a/b"}, "User-Agent": {"peerwright"}},
		},
		{"replaced", http.Header{"X-One": {"1"}}, http.Header{"x-one": {"2", "3"}}, map[string][]string{"X-One": {"2", "3"}}},
		{
			"left out",
			http.Header{"X-One": {"1"}},
			http.Header{"x-one": nil, "User-Agent": nil},
			map[string][]string{"X-One": nil, "User-Agent": nil},
		},
		{"left out for all", http.Header{"X-One": nil}, nil, map[string][]string{"X-One": nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, url, seen := tapped(t, transport.Options{Header: tt.base}, func(_ http.ResponseWriter, r *http.Request) {
				for name, want := range tt.want {
					if got := r.Header.Values(name); !slices.Equal(got, want) {
						t.Errorf("%s: the peer got %q, want %q", name, got, want)
					}
				}
			})
			readAll(t, do(t, client, transport.HTTPRequest{Method: "GET", URL: url, Header: tt.over}).Body)
			if got := seen.Frames(0)[0].Header.Values("X-One"); !slices.Equal(got, tt.want["X-One"]) {
				t.Errorf("the frame has %q", got)
			}
		})
	}
}

func TestHostAndUserOfTheURL(t *testing.T) {
	client, url, seen := tapped(t, transport.Options{}, func(_ http.ResponseWriter, r *http.Request) {
		if name, password, _ := r.BasicAuth(); r.Host != "evil.example" || name != "me" || password != "pw" {
			t.Errorf("the peer got host %q, user %q", r.Host, name)
		}
	})
	url = strings.Replace(url, "//", "//me:pw@", 1)
	readAll(t, do(t, client, transport.HTTPRequest{Method: "GET", URL: url, Header: http.Header{"Host": {"evil.example"}}}).Body)
	if got := seen.Frames(0)[0].URL; strings.Contains(got, "pw") {
		t.Errorf("the frame's URL %q has the password", got)
	}
}

func TestContextBoundsTheHeadOnly(t *testing.T) {
	goOn := make(chan struct{})
	client, url, _ := tapped(t, transport.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-goOn
		_, _ = io.WriteString(w, "late")
	})
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := client.Do(ctx, transport.HTTPRequest{Method: "GET", URL: url})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	close(goOn)
	if got := readAll(t, resp.Body); string(got) != "late" {
		t.Errorf("got %q", got)
	}
}

func TestContextEndsTheWaitForTheHead(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	client, url, seen := tapped(t, transport.Options{}, func(_ http.ResponseWriter, r *http.Request) {
		cancel(cause)
		<-r.Context().Done()
	})
	_, err := client.Do(ctx, transport.HTTPRequest{Method: "GET", URL: url})
	if !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
	frames := seen.Frames(0)
	if last := frames[len(frames)-1]; last.Kind != wire.FrameClose || !strings.Contains(last.Note, "enough") {
		t.Errorf("the last frame is %+v", last)
	}
}

func TestEndsOfABody(t *testing.T) {
	wait := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	broken := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	mine := errors.New("mine")
	tests := []struct {
		name string
		peer http.HandlerFunc
		end  func(*transport.HTTP, *transport.HTTPResponse)
		want error
	}{
		{"cut", wait, func(_ *transport.HTTP, r *transport.HTTPResponse) { r.Cut(mine) }, mine},
		{"client closed", wait, func(c *transport.HTTP, _ *transport.HTTPResponse) { c.Close() }, transport.ErrClosed},
		{"peer gone", broken, func(*transport.HTTP, *transport.HTTPResponse) {}, io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, url, seen := tapped(t, transport.Options{}, tt.peer)
			resp := do(t, client, transport.HTTPRequest{Method: "GET", URL: url})
			tt.end(client, resp)
			_, err := io.ReadAll(resp.Body)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			_ = resp.Body.Close()
			frames := seen.Frames(0)
			if last := frames[len(frames)-1]; last.Kind != wire.FrameClose || last.Note == "" {
				t.Errorf("the last frame is %+v, want an end with a note", last)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	client := transport.NewHTTP(transport.Options{}, nil)
	defer client.Close()
	_, err = client.Do(t.Context(), transport.HTTPRequest{Method: "GET", URL: "http://" + address})
	if !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("got %v", err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	_, err = client.Do(t.Context(), transport.HTTPRequest{Method: "GET", URL: strings.Replace(plain.URL, "http", "https", 1)})
	if !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("TLS to a plain server: got %v", err)
	}
}

func TestRoundTripper(t *testing.T) {
	client, url, seen := tapped(t, transport.Options{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %d", body, r.ContentLength)
	})
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, io.MultiReader(strings.NewReader("a"), strings.NewReader("b")))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: client}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, resp.Body); string(got) != "ab 2" {
		t.Errorf("got %q", got)
	}
	if got := joined(seen.Frames(0), wire.Out); string(got) != "ab" {
		t.Errorf("the frames have %q", got)
	}
}

func TestExchangeReadsAsFarAsWanted(t *testing.T) {
	tests := []struct {
		name, contentType, body, want string
		cut                           bool
	}{
		{"whole", "text/plain", "all of it", "all of it", false},
		{"over the limit", "text/plain", strings.Repeat("x", 40), strings.Repeat("x", 32), true},
		{
			"up to the answer", "text/event-stream",
			"data: 1\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\ndata: 2\n\n",
			"data: 1\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n", false,
		},
		{"a stream without one", "text/event-stream", "data: 1\n\ndata: 2\n\n", "data: 1\n\ndata: 2\n\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, url, _ := tapped(t, transport.Options{Limit: 64}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				_, _ = io.WriteString(w, tt.body)
			})
			if tt.cut {
				client, url, _ = tapped(t, transport.Options{Limit: 32}, func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, tt.body)
				})
			}
			raw, err := client.Exchange(t.Context(), transport.HTTPRequest{Method: "GET", URL: url})
			if err != nil {
				t.Fatal(err)
			}
			var tooLong *wire.TooLongError
			if string(raw.Body) != tt.want || errors.As(raw.Cut, &tooLong) != tt.cut {
				t.Errorf("got %q, %v", raw.Body, raw.Cut)
			}
		})
	}
}

func TestExchangeStopsWithItsContext(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": hello\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	client := transport.NewHTTP(transport.Options{Tap: func(f wire.Frame) {
		if f.Kind == wire.FrameEvent {
			cancel()
		}
	}}, nil)
	defer client.Close()
	raw, err := client.Exchange(ctx, transport.HTTPRequest{Method: "GET", URL: server.URL})
	if err != nil || string(raw.Body) != ": hello\n\n" || !errors.Is(raw.Cut, context.Canceled) {
		t.Errorf("got %+v, %v", raw, err)
	}
}
