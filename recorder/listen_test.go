package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/peerwright/peerwright/recorder"
)

func TestListenStaysOnThisMachine(t *testing.T) {
	for addr, want := range map[string]bool{
		":0": true, "127.0.0.1:0": true, "localhost:0": true, "[::1]:0": true, "127.8.8.8:0": true,
		"0.0.0.0:0": false, "[::]:0": false, "example.com:0": false, "192.0.2.1:0": false,
	} {
		l, err := recorder.Listen(deadline(t), addr, false)
		if err == nil {
			if host := l.Addr().(*net.TCPAddr).IP; !host.IsLoopback() {
				t.Errorf("%s: listens on %s", addr, host)
			}
			_ = l.Close()
		}
		if errors.Is(err, recorder.ErrOpen) == want {
			t.Errorf("%s: %v, want it refused: %v", addr, err, !want)
		}
	}
	if l, err := recorder.Listen(deadline(t), "0.0.0.0:0", true); err != nil {
		t.Error(err)
	} else {
		_ = l.Close()
	}
	if _, err := recorder.Listen(deadline(t), "3847", false); err == nil {
		t.Error("an address without a colon: no error")
	}
}

func TestServe(t *testing.T) {
	l, err := recorder.Listen(deadline(t), ":0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(deadline(t))
	done, streaming := make(chan error, 1), make(chan bool, 1)
	go func() {
		done <- recorder.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			fmt.Fprint(w, "served")
			if req.URL.Path == "/stream" {
				w.(http.Flusher).Flush()
				streaming <- true
				<-req.Context().Done()
			}
		}))
	}()
	for host, want := range map[string]int{
		l.Addr().String(): 200, "localhost:1": 200, "LOCALHOST": 200, "[::1]:80": 200, "evil.example": 403, "evil.example:80": 403, "10.0.0.1": 403,
	} {
		req, _ := http.NewRequestWithContext(deadline(t), http.MethodGet, "http://"+l.Addr().String(), nil)
		req.Host = host
		resp, err := plain(t).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Host %s: status %d %s, want %d", host, resp.StatusCode, body, want)
		}
	}
	go func() { // an event stream without end
		if resp, err := plain(t).Get("http://" + l.Addr().String() + "/stream"); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}()
	<-streaming
	stop()
	if err := <-done; err != nil {
		t.Errorf("stopping: %v", err)
	}
}
