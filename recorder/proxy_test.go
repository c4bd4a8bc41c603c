package recorder_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
)

// between starts a peer with a recording proxy before it, and returns the address of
// each.
func between(t *testing.T, peer http.HandlerFunc, o recorder.ProxyOptions) (rec *recording, direct, proxied string) {
	t.Helper()
	upstream := httptest.NewServer(peer)
	t.Cleanup(upstream.Close)
	rec = record(t, "http", recorder.Options{})
	u, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(recorder.Proxy(u, rec.Recorder, o))
	t.Cleanup(proxy.Close)
	return rec, upstream.URL, proxy.URL
}

// plain is a client that shows what is on the wire.
func plain(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

type seen struct {
	Status  int
	Header  http.Header
	Length  int64
	Body    string
	Trailer http.Header
}

func ask(t *testing.T, method, address, body string, header http.Header) seen {
	t.Helper()
	req, err := http.NewRequestWithContext(deadline(t), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	resp, err := plain(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return seen{resp.StatusCode, resp.Header, resp.ContentLength, string(all), resp.Trailer}
}

// pieces writes a body in pieces of n bytes, each on its way at once.
func pieces(w http.ResponseWriter, body string, n int) {
	for len(body) > 0 {
		part := body[:min(n, len(body))]
		body = body[len(part):]
		_, _ = io.WriteString(w, part)
		w.(http.Flusher).Flush()
	}
}

func TestTheClientSeesWhatThePeerSends(t *testing.T) {
	big := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("ä€𝄞", 600_000) + `"}]}}`
	crlf := "event: message\r\nid: 1\r\ndata: {\"a\":\"ü€𝄞\"}\r\n\r\n: alive\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n\r\nid: 9"
	for name, peer := range map[string]http.HandlerFunc{
		"a long result": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
			_, _ = io.WriteString(w, big)
		},
		"a long result in chunks": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			pieces(w, big, 100_000)
		},
		"events with CRLF, a byte at a time": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Mcp-Session-Id", "s")
			pieces(w, crlf, 1)
		},
		"no type, no date": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"], w.Header()["Date"] = nil, nil
			_, _ = io.WriteString(w, "<html>")
		},
		"nothing":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) },
		"no content": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"an error": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) },
		"gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("\x1f\x8b not really"))
		},
		"headers of all kinds": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["X-Many"] = []string{"1", "2", ""}
			w.Header().Set("Set-Cookie", "a=b")
			w.Header().Set("X-Latin", "\xe9")
		},
		"trailers": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-End")
			_, _ = io.WriteString(w, "body")
			w.Header().Set("X-End", "1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			rec, direct, proxied := between(t, peer, recorder.ProxyOptions{})
			want := ask(t, "POST", direct+"/mcp", "{}", nil)
			got := ask(t, "POST", proxied+"/mcp", "{}", nil)
			want.Header.Del("Date") // which may have gone on a second
			if date := got.Header.Get("Date"); (date != "") != (name != "no type, no date") {
				t.Errorf("Date: %q", date)
			}
			got.Header.Del("Date")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-direct +proxied\n%.2000s", diff)
			}
			if name == "gzip" {
				return // it cannot be looked into, and is not kept
			}
			kept := joined(rec.read(), 1, wire.In, wire.FrameBody, wire.FrameEvent, wire.FrameChunk)
			if string(kept) != want.Body {
				t.Errorf("the fixture has %d bytes, or other ones than the %d that came", len(kept), len(want.Body))
			}
		})
	}
}

func TestACharacterCutAtEveryOffset(t *testing.T) {
	body := "data: {\"a\":\"xü€𝄞y\"}\n\n"
	rec, _, proxied := between(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		cut := len(req.URL.RawQuery)
		pieces(w, body[:cut], cut+1)
		pieces(w, body[cut:], len(body))
	}, recorder.ProxyOptions{})
	for cut := range len(body) {
		got := ask(t, "POST", proxied+"/?"+strings.Repeat("x", cut), "", nil)
		if got.Body != body {
			t.Errorf("cut at %d: the client saw %q", cut, got.Body)
		}
	}
	f := rec.read()
	for n := range len(body) {
		if kept := joined(f, n+1, wire.In, wire.FrameEvent); string(kept) != body {
			t.Errorf("exchange %d: kept %q", n+1, kept)
		}
	}
}

func TestThePeerSeesWhatTheClientSends(t *testing.T) {
	type request struct {
		Method, URL, Host, Body string
		Header                  http.Header
	}
	var got request
	rec, direct, proxied := between(t, func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		got = request{req.Method, req.RequestURI, req.Host, string(body), req.Header}
	}, recorder.ProxyOptions{})
	header := http.Header{
		"Accept": {"application/json, text/event-stream"}, "Origin": {"http://evil.example"}, "Mcp-Method": {"a"},
		"User-Agent": {"c/1"}, "X-Many": {"1", "2"}, "X-Forwarded-For": {"1.2.3.4"}, "X-Latin": {"\xe9"}, "Cookie": {"a=b"},
	}
	const path = "/a%2Fb//c/?q=1;2&q=%zz&api=%20x"
	ask(t, "PATCH", direct+path, "body ü", header)
	want := got
	ask(t, "PATCH", proxied+path, "body ü", header)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-direct +proxied\n%s", diff)
	}
	header["User-Agent"] = []string{""} // none at all
	ask(t, "GET", proxied+path, "", header)
	if agent, ok := got.Header["User-Agent"]; ok {
		t.Errorf("User-Agent %q was added", agent)
	}
	f := rec.read()
	if head := f.Frames[0]; head.Method != "PATCH" || !strings.HasSuffix(head.URL, path) || head.Header.Get("Origin") != "http://evil.example" {
		t.Errorf("recorded %+v", head)
	}
	if kept := joined(f, 1, wire.Out, wire.FrameBody); string(kept) != "body ü" {
		t.Errorf("the body was recorded as %q", kept)
	}
}

func TestEventsPassAsTheyCome(t *testing.T) {
	read := make(chan bool)
	for _, method := range []string{"GET", "POST"} {
		_, _, proxied := between(t, func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, part := range []string{": alive\n\n", "data: 1\n\n", "data: 2", "\n\n"} {
				pieces(w, part, len(part))
				select {
				case <-read: // the client has it
				case <-req.Context().Done():
				}
			}
		}, recorder.ProxyOptions{})
		req, _ := http.NewRequestWithContext(deadline(t), method, proxied, nil)
		resp, err := plain(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		r := bufio.NewReader(resp.Body)
		for _, want := range []string{": alive\n\n", "data: 1\n\n", "data: 2", "\n\n"} {
			got := make([]byte, len(want))
			if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
				t.Fatalf("%s: got %q, %v; want %q", method, got, err, want)
			}
			read <- true
		}
	}
}

func TestAClientThatGoesAwayCancels(t *testing.T) {
	began, ended := make(chan bool), make(chan bool)
	rec, _, proxied := between(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		pieces(w, "data: 1\n\n", 100)
		close(began)
		<-req.Context().Done()
		close(ended)
	}, recorder.ProxyOptions{})
	ctx, cancel := context.WithCancel(deadline(t))
	req, _ := http.NewRequestWithContext(ctx, "POST", proxied, strings.NewReader("{}"))
	resp, err := plain(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	<-began
	cancel()
	select {
	case <-ended:
	case <-deadline(t).Done():
		t.Fatal("the peer's request still runs")
	}
	waitFor(t, rec, func(f fixtures.Frame) bool { return f.Kind == wire.FrameClose })
}

// waitFor reads the growing file until a frame is there.
func waitFor(t *testing.T, rec *recording, want func(fixtures.Frame) bool) fixtures.Frame {
	t.Helper()
	for ctx := deadline(t); ctx.Err() == nil; {
		f, err := fixtures.Read(rec.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range f.Frames {
			if want(frame) {
				return frame
			}
		}
	}
	t.Fatal("the frame was not recorded")
	return fixtures.Frame{}
}

func TestAPeerThatBreaksOffIsSeenToBreakOff(t *testing.T) {
	rec, _, proxied := between(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		pieces(w, "data: 1\n\ndata: 2", 100)
		panic(http.ErrAbortHandler)
	}, recorder.ProxyOptions{})
	resp, err := plain(t).Post(proxied, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err == nil || string(got) != "data: 1\n\ndata: 2" {
		t.Errorf("the client saw %q and %v, want an error after the bytes", got, err)
	}
	f := rec.read()
	if kept := joined(f, 1, wire.In, wire.FrameEvent, wire.FrameChunk); string(kept) != "data: 1\n\ndata: 2" {
		t.Errorf("kept %q", kept)
	}
	if last := f.Frames[len(f.Frames)-1]; last.Kind != wire.FrameClose || last.Note == "" {
		t.Errorf("the last frame is %+v, want a close that says why", last)
	}
}

func TestAPeerThatIsNotThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close() // nobody listens there now
	rec := record(t, "http", recorder.Options{})
	proxy := httptest.NewServer(recorder.Proxy(&url.URL{Scheme: "http", Host: l.Addr().String()}, rec.Recorder, recorder.ProxyOptions{}))
	defer proxy.Close()
	got := ask(t, "POST", proxy.URL+"/mcp", "{}", nil)
	if got.Status != http.StatusBadGateway || !strings.Contains(got.Body, "peer could not be reached") {
		t.Errorf("status %d, body %s", got.Status, got.Body)
	}
	f := rec.read()
	if last := f.Frames[len(f.Frames)-1]; last.Kind != wire.FrameClose || !strings.Contains(last.Note, "could not be reached") {
		t.Errorf("the last frame is %+v", last)
	}
}

func TestABodyOverTheLimitDoesNotReachThePeer(t *testing.T) {
	rec, _, proxied := between(t, func(http.ResponseWriter, *http.Request) { t.Error("it reached the peer") }, recorder.ProxyOptions{Limit: 10})
	got := ask(t, "POST", proxied, "12345678901", nil)
	if got.Status != http.StatusRequestEntityTooLarge || !strings.Contains(got.Body, "limit of 10 bytes") {
		t.Errorf("status %d, body %s", got.Status, got.Body)
	}
	if f := rec.read(); len(f.Frames) != 0 {
		t.Errorf("recorded %+v", f.Frames)
	}
}

func TestCredentialsOfTheTarget(t *testing.T) {
	var got http.Header
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { got = req.Header }))
	defer upstream.Close()
	rec := record(t, "http", recorder.Options{})
	u, _ := url.Parse(upstream.URL)
	u.User = url.UserPassword("u", canary)
	proxy := httptest.NewServer(recorder.Proxy(u, rec.Recorder, recorder.ProxyOptions{Header: http.Header{"x-api-key": {canary}}}))
	defer proxy.Close()
	ask(t, "GET", proxy.URL, "", nil)
	if got.Get("X-Api-Key") != canary || !strings.HasPrefix(got.Get("Authorization"), "Basic ") {
		t.Errorf("the peer saw %v", got)
	}
	ask(t, "GET", proxy.URL, "", http.Header{"Authorization": {"mine"}})
	if got.Get("Authorization") != "mine" {
		t.Errorf("the client's own credentials were replaced by %q", got.Get("Authorization"))
	}
	rec.hides(canary)
}

func TestRoundTripper(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"agent":"`+req.UserAgent()+`"}`)
	}))
	defer upstream.Close()
	rec := record(t, "http", recorder.Options{})
	client := &http.Client{Transport: recorder.RoundTripper(http.DefaultTransport, rec.Recorder)}
	resp, err := client.Post(upstream.URL, "application/json", strings.NewReader(`{"q":1}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != `{"agent":"Go-http-client/1.1"}` {
		t.Errorf("got %s, %v", got, err)
	}
	f := rec.read()
	if kept := joined(f, 1, wire.In, wire.FrameBody); !bytes.Equal(kept, got) {
		t.Errorf("kept %s", kept)
	}
	if kept := joined(f, 1, wire.Out, wire.FrameBody); string(kept) != `{"q":1}` {
		t.Errorf("kept %s of the request", kept)
	}
	if _, err := client.Get("http://127.0.0.1:1/"); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("a peer that is not there: %v", err)
	}
}
