package recorder_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/recorder"
)

// A client that is given the recording http.RoundTripper leaves a fixture behind.
func ExampleRoundTripper() {
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"abc","tools":[]}}`)
	}))
	defer peer.Close()
	dir, err := os.MkdirTemp("", "fixtures")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tools"+fixtures.Suffix)

	out, err := fixtures.Create(path, fixtures.Header{Protocol: fixtures.MCP, Transport: "http"}, false)
	if err != nil {
		panic(err)
	}
	rec, err := recorder.New(out, recorder.Options{})
	if err != nil {
		panic(err)
	}
	client := &http.Client{Transport: recorder.RoundTripper(nil, rec)}
	resp, err := client.Post(peer.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		panic(err)
	}
	_ = resp.Body.Close()
	if err := rec.Close(); err != nil {
		panic(err)
	}

	f, err := fixtures.Read(path)
	if err != nil {
		panic(err)
	}
	for _, e := range fixtures.Sort(f.Frames).Exchanges {
		fmt.Println(e.Request.Method, e.Status())
	}
	// Output: tools/list 200
}
