package mcptools_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
)

// lean is an HTTP client that costs next to nothing: one connection, on which it posts
// one body again and again.
type lean struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

func newLean(b *testing.B, base, path, body string) *lean {
	b.Helper()
	host := strings.TrimPrefix(base, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, host, len(body), body)
	return &lean{conn, bufio.NewReaderSize(conn, 16<<10), []byte(request)}
}

// post returns an error unless the answer is a success of at least 1000 bytes.
func (l *lean) post() error {
	if _, err := l.conn.Write(l.request); err != nil {
		return err
	}
	status, length := "", -1
	for {
		line, err := l.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if status == "" {
			status = string(line)
		}
		if rest, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(rest))
		}
	}
	if status != "HTTP/1.1 200 OK" || length < 1000 {
		body := make([]byte, max(length, 0))
		_, _ = io.ReadFull(l.in, body)
		return fmt.Errorf("%s with %d bytes: %s", status, length, body)
	}
	_, err := l.in.Discard(length)
	return err
}
