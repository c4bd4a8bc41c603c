package recorder

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// ErrOpen is wrapped by Listen for an address that others than this machine reach.
var ErrOpen = errors.New("the address is open to the network")

// Listen listens for a recording proxy: on addr, HOST:PORT, where no host means
// 127.0.0.1 and port 0 a free one. Whoever reaches the proxy reaches the peer with
// what it lets through, so that an address which is not of this machine alone is
// refused with ErrOpen unless open says that it is meant.
func Listen(ctx context.Context, addr string, open bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: write it as HOST:PORT: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !open && !isLoopback(host) {
		return nil, fmt.Errorf("listening on %s: %w: use 127.0.0.1, or say that it is meant to be open", addr, ErrOpen)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", addr, err)
	}
	return l, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// Serve serves the handler until the context ends, and then cuts what is open: event
// streams have no end of their own. On a loopback address it refuses with 403 what
// was sent to the name of another host, as a web page does whose name was made to
// point at this machine (DNS rebinding); the peer cannot tell, since it is sent its
// own name.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	if host, _, err := net.SplitHostPort(l.Addr().String()); err == nil && isLoopback(host) {
		h = onlyLocal(h)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: silent()}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() }) // the listener's error says nothing more
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	}
	return nil
}

func onlyLocal(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		host := req.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !isLoopback(host) {
			http.Error(w, "peerwright: this is a proxy of this machine, and was called by the name "+host, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, req)
	})
}
