package http1

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// FuzzPlainHead holds the head that is read here to be what net/http reads, body included.
func FuzzPlainHead(f *testing.F) {
	for _, head := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
		"HTTP/1.1 500 \r\ncontent-length:\t2 \r\nX: a\r\nx-Y: \r\n\r\nok and more",
		"HTTP/1.1 404\r\nContent-Length: 0\r\nDate: Mon\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 \r\nContent-length:000\r\r\n\r\n",
	} {
		f.Add(head)
	}
	req := &http.Request{Method: http.MethodPost}
	f.Fuzz(func(t *testing.T, raw string) {
		mine := bufio.NewReader(strings.NewReader(raw))
		got := plainHead(mine, req)
		if got == nil {
			if rest, _ := io.ReadAll(mine); string(rest) != raw {
				t.Fatalf("%q was begun, and left for another", raw)
			}
			return
		}
		theirs := bufio.NewReader(strings.NewReader(raw))
		want, err := http.ReadResponse(theirs, req)
		if err != nil {
			t.Fatalf("%q is an answer here; net/http says %v", raw, err)
		}
		sameBody(t, got.Body, want.Body)
		got.Body, want.Body = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q is %+v, want %+v", raw, got, want)
		}
		after, _ := io.ReadAll(mine)
		if rest, _ := io.ReadAll(theirs); string(after) != string(rest) {
			t.Fatalf("after %q came %q, want %q", raw, after, rest)
		}
	})
}

func sameBody(t *testing.T, got, want io.Reader) {
	t.Helper()
	mine, err := io.ReadAll(got)
	theirs, werr := io.ReadAll(want)
	if string(mine) != string(theirs) || !errors.Is(err, werr) {
		t.Fatalf("the body is %q, %v; want %q, %v", mine, err, theirs, werr)
	}
}

// What the head or its peer's way with it makes extraordinary is left to net/http; else it
// would have to be read like this here.
func TestWhatIsPlain(t *testing.T) {
	const plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n"
	for head, want := range map[string]bool{
		plain:                                        true,
		plain + "X: a":                               true,
		"HTTP/1.1 404 \r\nContent-Length:2":          true,
		"HTTP/1.0 200 OK\r\nContent-Length: 2":       false,
		"HTTP/1.1 204 No\r\nContent-Length: 2":       false,
		"HTTP/1.1 100 Continue\r\nContent-Length: 2": false,
		"HTTP/1.1 200 OK\r\nContent-Length: -2":      false,
		"HTTP/1.1 200 OK\r\nContent-Length: ":        false,
		"HTTP/1.1 200 OK\r\nX: a":                    false,
		"HTTP/1.1 200 OK":                            false,
		plain + "Connection: close":                  false,
		plain + "Transfer-Encoding: chunked":         false,
		plain + "transfer-encoding: x":               false,
		plain + "Content-Length: 2":                  false,
		plain + "content-length: 3":                  false,
		plain + "X : a":                              false,
		plain + " folded":                            false,
		plain + "X: a\r\n folded":                    false,
		plain + "X: a\x00":                           false,
		plain + "no colon":                           false,
	} {
		in := bufio.NewReader(strings.NewReader(strings.TrimSuffix(head, "\r\n") + "\r\n\r\nok"))
		if got := plainHead(in, &http.Request{Method: http.MethodGet}); (got != nil) != want {
			t.Errorf("%q: plain is %v", head, got != nil)
		}
	}
	in := bufio.NewReader(strings.NewReader(plain + "\r\n"))
	if plainHead(in, &http.Request{Method: http.MethodHead}) != nil {
		t.Error("the answer to a HEAD has a body")
	}
}
