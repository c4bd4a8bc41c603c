package http1

import (
	"bytes"
	"net/http"
	"strconv"
	"sync/atomic"
)

// own are the headers that are written apart from the others.
var own = map[string]bool{"Host": true, "User-Agent": true, "Content-Length": true} //nolint:gochecknoglobals // a table

// write appends the request.
//
// https://www.rfc-editor.org/rfc/rfc9112#name-request
func write(b *bytes.Buffer, req *http.Request, payload []byte) {
	b.WriteString(req.Method)
	b.WriteByte(' ')
	b.WriteString(req.URL.RequestURI())
	b.WriteString(" HTTP/1.1\r\nHost: ")
	if req.Host != "" {
		b.WriteString(req.Host)
	} else {
		b.WriteString(req.URL.Host)
	}
	agent := "Go-http-client/1.1" // as http.Transport says where the caller does not
	if given, there := req.Header["User-Agent"]; there {
		agent = append(given, "")[0]
	}
	if agent != "" {
		b.WriteString("\r\nUser-Agent: ")
		b.WriteString(agent)
	}
	if len(payload) > 0 || req.Method == http.MethodPost || req.Method == http.MethodPut || req.Method == http.MethodPatch {
		b.WriteString("\r\nContent-Length: ")
		b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(len(payload)), 10))
	}
	b.WriteString("\r\n")
	_ = req.Header.WriteSubset(b, own) // a buffer does not fail
	b.WriteString("\r\n")
	b.Write(payload)
}

// once tells who is the first.
type once struct{ done atomic.Bool }

func (o *once) first() bool { return o.done.CompareAndSwap(false, true) }
