package http1_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/http1"
)

// Every way in which an answer may end is read to its end, and the connection is used
// again exactly where it may be.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, answer, want string
		again              bool
	}{
		{"by length", okay, "ok", true},
		{"empty", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", "", true},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", "", true},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok", true},
		{"with a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n", "ok", true},
		{"after interim answers", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + okay, "ok", true},
		{"by the end of the connection", "HTTP/1.1 200 OK\r\n\r\nok", "ok", false},
		{"with Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "ok", false},
		{"of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", false},
		{"with more than was asked for", okay + okay, "ok", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := []string{tt.answer}
			if tt.again {
				script = append(script, okay)
			}
			p := play(t, script, []string{okay})
			c := client(t)
			for i, want := range []string{tt.want, "ok"} {
				got, err := ask(t, c, newRequest(t, "POST", p.url, "x"))
				if got != want || err != nil {
					t.Fatalf("answer %d is %q, %v; want %q", i+1, got, err, want)
				}
				if !tt.again && i == 0 {
					<-p.gone[0]
				}
			}
			if got, want := p.connections(), map[bool]int{true: 1, false: 2}[tt.again]; got != want {
				t.Errorf("%d connections were made, want %d", got, want)
			}
		})
	}
}

// What is no answer is an error, and its connection is gone.
func TestNoAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":            "",
		"half a head":        "HTTP/1.1 200 OK\r\nConte",
		"no HTTP":            "hello\r\n\r\n",
		"interim answers":    strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 9) + okay,
		"another protocol":   "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
		"half a body":        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
		"half a chunk":       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf",
		"a head without end": "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 11<<20) + "\r\n\r\n",
		"a length that lies": "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"two lengths":        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok",
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, []string{answer})
			if got, err := ask(t, client(t), newRequest(t, "POST", p.url, "x")); err == nil {
				t.Errorf("got %q without an error", got)
			}
			<-p.gone[0]
		})
	}
}

// A connection that the peer closed while it waited costs no request: nothing was sent.
func TestAConnectionThatWasClosedIsNotUsed(t *testing.T) {
	p := play(t, []string{okay}, []string{okay})
	c := client(t)
	for range 2 {
		if got, err := ask(t, c, newRequest(t, "POST", p.url, "x")); got != "ok" || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
		<-p.gone[0]
	}
	if got := p.came(); len(got) != 2 {
		t.Errorf("the peer got %q", got)
	}
}

// A POST that was sent is not sent again when its connection breaks, a GET is.
func TestWhatMayBeSentAgain(t *testing.T) {
	for method, want := range map[string]int{"POST": 2, "DELETE": 2, "GET": 3} {
		p := play(t, []string{okay, ""}, []string{okay})
		c := client(t)
		if _, err := ask(t, c, newRequest(t, method, p.url, "")); err != nil {
			t.Fatal(err)
		}
		_, err := ask(t, c, newRequest(t, method, p.url, ""))
		if (err == nil) != (want == 3) || len(p.came()) != want {
			t.Errorf("%s: the peer got %q; %v", method, p.came(), err)
		}
	}
}

// The end of the context ends the exchange wherever it is, and the connection with it.
func TestContext(t *testing.T) {
	p := play(t, []string{hangs}, []string{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", hangs})
	c := client(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-p.asked
		cancel()
	}()
	if _, err := c.RoundTrip(newRequest(t, "POST", p.url, "x").WithContext(ctx)); err == nil {
		t.Error("the wait for the head went on")
	}
	<-p.gone[0]

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	resp, err := c.RoundTrip(newRequest(t, "POST", p.url, "x").WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	if got, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("the body ended as %q", got)
	}
	<-p.gone[1]
}

// A body that is closed before its end is not waited for, and its connection is gone.
func TestEarlyClose(t *testing.T) {
	p := play(t, []string{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", hangs})
	resp, err := client(t).RoundTrip(newRequest(t, "GET", p.url, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	<-p.gone[0]
}

// Whole tells of a body that can be read without waiting.
func TestWhole(t *testing.T) {
	for answer, want := range map[string]bool{
		okay: true,
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok":        false,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n": false,
		"HTTP/1.1 200 OK\r\n\r\nok":                             false,
	} {
		p := play(t, []string{answer})
		resp, err := client(t).RoundTrip(newRequest(t, "GET", p.url, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Body.(interface{ Whole() bool }).Whole(); got != want {
			t.Errorf("%q: whole %v", answer, got)
		}
		_ = resp.Body.Close()
	}
}

// What is not small and plain goes to the client behind.
func TestOther(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"TLS":                func(r *http.Request) { r.URL.Scheme = "https" },
		"a large body":       func(r *http.Request) { r.ContentLength = 1 << 20 },
		"an unknown length":  func(r *http.Request) { r.ContentLength = -1 },
		"an upgrade":         func(r *http.Request) { r.Header.Set("Upgrade", "websocket") },
		"Connection":         func(r *http.Request) { r.Header.Set("Connection", "close") },
		"Expect":             func(r *http.Request) { r.Header.Set("Expect", "100-continue") },
		"a trailer":          func(r *http.Request) { r.Trailer = http.Header{"X": nil} },
		"close":              func(r *http.Request) { r.Close = true },
		"a forged header":    func(r *http.Request) { r.Header.Set("X", "a\r\nY: b") },
		"a name with spaces": func(r *http.Request) { r.Header["X y"] = []string{"z"} },
		"a forged host":      func(r *http.Request) { r.Host = "a\r\nb" },
		"a forged method":    func(r *http.Request) { r.Method = "GET /x" },
		"a host with an umlaut": func(r *http.Request) {
			r.URL.Host = "bücher.example"
		},
	} {
		req := newRequest(t, "POST", "http://127.0.0.1:1/", "x")
		change(req)
		if _, err := client(t).RoundTrip(req); !errors.Is(err, errOther) {
			t.Errorf("%s: %v", name, err)
		}
	}
	proxied := client(t)
	proxied.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy.example") }
	if _, err := proxied.RoundTrip(newRequest(t, "GET", "http://127.0.0.1:1/", "")); !errors.Is(err, errOther) {
		t.Errorf("a proxy: %v", err)
	}
}

// The client of net/http and this one write the same requests, the order of the headers
// aside.
func TestRequestsAreThoseOfNetHTTP(t *testing.T) {
	for _, tt := range []struct {
		method, body string
		header       http.Header
	}{
		{"POST", "body", http.Header{"B": {"1", "2"}, "A": {""}, "idempotency-key": {"k"}}},
		{"POST", "", nil},
		{"GET", "", http.Header{"User-Agent": {"mine"}}},
		{"GET", "", http.Header{"User-Agent": {""}}},
		{"DELETE", "", nil},
		{"PUT", "", nil},
		{"DELETE", "body", nil},
		{"QUERY", "body", http.Header{"Content-Length": {"99"}, "Host": {"ignored"}}},
	} {
		var got [2][]string
		for i := range got {
			var d net.Dialer
			theirs := &http.Transport{DisableCompression: true}
			mine := &http1.Client{Dial: d.DialContext, Other: other{}}
			raw := record(t, func(url string) {
				req := newRequest(t, tt.method, url+"/a%2Fb?q=1", tt.body)
				req.Header, req.Host = tt.header.Clone(), "named.example"
				if req.Header == nil {
					req.Header = http.Header{}
				}
				way := []http.RoundTripper{theirs, mine}[i]
				resp, err := way.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
			})
			got[i] = strings.Split(raw, "\r\n")
			slices.Sort(got[i])
		}
		if !slices.Equal(got[0], got[1]) {
			t.Errorf("net/http writes %q, this client %q", got[0], got[1])
		}
	}
}

// record returns the bytes of the one request that do makes.
func record(t *testing.T, do func(url string)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	came := make(chan string, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			close(came)
			return
		}
		buf := make([]byte, 4096)
		n, _ := conn.Read(buf)
		for !strings.HasSuffix(string(buf[:n]), "\r\n\r\n") && !strings.HasSuffix(string(buf[:n]), "body") {
			more, err := conn.Read(buf[n:])
			if err != nil {
				break
			}
			n += more
		}
		came <- string(buf[:n])
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
		_ = conn.Close()
	}()
	do("http://" + ln.Addr().String())
	return <-came
}
