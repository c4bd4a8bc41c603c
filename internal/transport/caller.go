package transport

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// CheckCaller keeps web pages of other sites away from a server, and DNS names that
// were bent to point at it. Host must be a loopback name or stand in hosts, without
// its port; Origin must be of loopback or of that host, or stand in origins as a
// browser writes it ("https://example.com"). "*" in a list allows all. Programs
// other than browsers send no Origin.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
func CheckCaller(r *http.Request, origins, hosts []string) error {
	if host := hostname(r.Host); !isLoopback(host) && !allows(hosts, host) {
		return fmt.Errorf("host %q is not allowed here", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		if allows(origins, origin) {
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || !isLoopback(u.Hostname()) && !strings.EqualFold(u.Host, r.Host) {
			return fmt.Errorf("origin %q is not allowed here", origin)
		}
	}
	return nil
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

func allows(list []string, value string) bool {
	return slices.ContainsFunc(list, func(one string) bool {
		return one == "*" || strings.EqualFold(one, value)
	})
}
