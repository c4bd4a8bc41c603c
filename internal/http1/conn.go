package http1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// conn is a connection. One exchange at a time goes over it.
type conn struct {
	net.Conn
	raw     syscall.RawConn // nil where it has none
	address string
	pool    *pool
	in      *bufio.Reader
	since   time.Time // when it was last left

	reused bool
	wrote  bool // something of the request was written
	room   int  // how many bytes the head of the answer may still have
	read   bool // something of the answer was read
}

// maxHead is how many bytes the head of an answer may have, as with http.Transport.
const maxHead = 10 << 20

var errLongHead = errors.New("the head of the answer is too long")

func newConn(c net.Conn, address string, p *pool) *conn {
	k := &conn{Conn: c, address: address, pool: p}
	if s, ok := c.(syscall.Conn); ok {
		k.raw, _ = s.SyscallConn() // without it the connection is not used again
	}
	k.in = bufio.NewReader(readerFunc(k.receive))
	return k
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// receive reads from the peer, no more than a head may have while one is read.
func (k *conn) receive(p []byte) (int, error) {
	if k.room == 0 {
		return 0, errLongHead
	}
	if k.room > 0 {
		p = p[:min(len(p), k.room)]
	}
	n, err := k.Conn.Read(p)
	k.read = k.read || n > 0
	if k.room > 0 {
		k.room -= n
	}
	return n, err
}

// exchange sends the request and returns with the head of the answer. The connection is
// closed after a failure, and when the context ends before the answer has.
func (k *conn) exchange(req *http.Request, payload []byte) (*http.Response, error) {
	k.wrote, k.read, k.room = false, false, maxHead
	stop := context.AfterFunc(req.Context(), func() { _ = k.Close() })
	err := k.send(req, payload)
	var resp *http.Response
	if err == nil {
		resp, err = k.head(req)
	}
	if err != nil {
		stop()
		_ = k.Close()
		return nil, err
	}
	k.room = -1
	b := &body{ReadCloser: resp.Body, conn: k, stop: stop, length: resp.ContentLength, keep: !resp.Close}
	if resp.Body == http.NoBody {
		b.end(true)
		return resp, nil
	}
	resp.Body = b
	return resp, nil
}

// buffers hold requests while they are written: one that waits for its answer needs none.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }} //nolint:gochecknoglobals // the way of sync.Pool

func (k *conn) send(req *http.Request, payload []byte) error {
	b, _ := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	write(b, req, payload)
	n, err := k.Write(b.Bytes())
	k.wrote = n > 0
	return err
}

// maxInterim is how many interim answers may come before the final one.
const maxInterim = 5

// head reads the head of the final answer.
//
// https://www.rfc-editor.org/rfc/rfc9110#name-informational-1xx
func (k *conn) head(req *http.Request) (*http.Response, error) {
	for range maxInterim {
		if resp := plainHead(k.in, req); resp != nil {
			return resp, nil
		}
		resp, err := http.ReadResponse(k.in, req)
		if err != nil {
			return nil, fmt.Errorf("reading the head of the answer: %w", err)
		}
		if resp.StatusCode >= http.StatusOK {
			return resp, nil
		}
		if resp.StatusCode == http.StatusSwitchingProtocols {
			return nil, errors.New("the peer switches to another protocol, which was not asked for")
		}
	}
	return nil, errors.New("too many interim answers")
}

// mayRepeat tells whether the exchange that failed may be tried over another connection.
// One that was used before may have been closed by the peer meanwhile.
func (k *conn) mayRepeat(req *http.Request) bool {
	if !k.reused || req.Context().Err() != nil {
		return false
	}
	safe := req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == http.MethodOptions
	return !k.wrote || safe && req.ContentLength == 0 && !k.read
}

// body is the body of an answer, at whose end the connection is free again.
type body struct {
	io.ReadCloser
	conn   *conn
	stop   func() bool
	length int64
	keep   bool
	ended  once
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end(errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF))
	}
	return n, err
}

// Close implements io.Closer. What was not read is not waited for.
func (b *body) Close() error {
	b.end(false)
	return nil
}

// Whole tells whether all of the body has come already, so that reading it waits for
// nobody. It is asked before the first Read.
func (b *body) Whole() bool { return b.length >= 0 && int64(b.conn.in.Buffered()) >= b.length }

func (b *body) end(whole bool) {
	if !b.ended.first() {
		return
	}
	if b.stop() && whole && b.keep && b.conn.in.Buffered() == 0 {
		b.conn.pool.put(b.conn)
		return
	}
	_ = b.conn.Close()
}
