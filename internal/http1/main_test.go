package http1_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/internal/http1"
)

// errOther is what the client behind answers with.
var errOther = errors.New("the other client was asked")

type other struct{}

func (other) RoundTrip(*http.Request) (*http.Response, error) { return nil, errOther }

// peer is a server that plays one script for each connection: it reads a request, and
// writes the next answer of the script as it is. After the last it closes.
type peer struct {
	url   string
	mu    sync.Mutex
	heads []string // of the requests that came, with their bodies
	conns int
	asked chan struct{}   // closed when the first request has come
	gone  []chan struct{} // closed when the connection is
}

func play(t *testing.T, scripts ...[]string) *peer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{url: "http://" + ln.Addr().String(), asked: make(chan struct{})}
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = ln.Close()
		all.Wait()
	})
	for range scripts {
		p.gone = append(p.gone, make(chan struct{}))
	}
	all.Go(func() {
		for i, script := range scripts {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			p.mu.Lock()
			p.conns++
			p.mu.Unlock()
			all.Go(func() {
				defer close(p.gone[i])
				p.serve(conn, script)
			})
		}
	})
	return p
}

func (p *peer) serve(conn net.Conn, script []string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for _, answer := range script {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(req.Body)
		p.mu.Lock()
		if len(p.heads) == 0 {
			close(p.asked)
		}
		p.heads = append(p.heads, req.Method+" "+req.RequestURI+" "+string(body))
		p.mu.Unlock()
		if answer == hangs {
			_, _ = in.ReadByte() // until the client is gone
			return
		}
		_, _ = io.WriteString(conn, answer)
	}
}

func (p *peer) came() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.heads...)
}

func (p *peer) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conns
}

const (
	hangs = "hangs"
	okay  = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
)

// client is one whose connections are closed with the test.
func client(t *testing.T) *http1.Client {
	t.Helper()
	var d net.Dialer
	c := &http1.Client{Dial: d.DialContext, Other: other{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func newRequest(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// ask makes one exchange, and returns the body of the answer.
func ask(t *testing.T, c *http1.Client, req *http.Request) (string, error) {
	t.Helper()
	resp, err := c.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return string(got), err
}
