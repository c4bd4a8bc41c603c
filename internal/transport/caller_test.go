package transport

import (
	"net/http"
	"testing"
)

func TestCheckCaller(t *testing.T) {
	origins, hosts := []string{"https://app.example.com"}, []string{"mcp.example.com"}
	for _, tc := range []struct {
		host   string
		origin []string
		want   bool
	}{
		{"127.0.0.1:8080", nil, true},
		{"localhost", nil, true},
		{"LOCALHOST:1", nil, true},
		{"[::1]:80", nil, true},
		{"[::1]", nil, true},
		{"[::ffff:127.0.0.1]:1", nil, true},
		{"mcp.example.com:8080", nil, true},
		{"evil.example:8080", nil, false},
		{"127.0.0.1.evil.example", nil, false},
		{"192.0.2.1", nil, false},
		{"", nil, false},
		{"127.0.0.1:8080", []string{"http://localhost:3000"}, true},
		{"127.0.0.1:8080", []string{"http://[::1]"}, true},
		{"127.0.0.1:8080", []string{"https://app.example.com"}, true},
		{"mcp.example.com:8080", []string{"https://mcp.example.com:8080"}, true},
		{"mcp.example.com:8080", []string{"https://mcp.example.com"}, false},
		{"127.0.0.1:8080", []string{"https://evil.example"}, false},
		{"evil.example", []string{"http://evil.example"}, false}, // DNS rebinding
		{"127.0.0.1:8080", []string{"null"}, false},
		{"127.0.0.1:8080", []string{""}, false},
		{"127.0.0.1:8080", []string{"http://localhost", "https://evil.example"}, false},
		{"127.0.0.1:8080", []string{"http://localhost@evil.example"}, false},
		{"127.0.0.1:8080", []string{"::"}, false},
	} {
		r := &http.Request{Host: tc.host, Header: http.Header{"Origin": tc.origin}}
		if err := CheckCaller(r, origins, hosts); (err == nil) != tc.want {
			t.Errorf("host %q, origin %q: %v", tc.host, tc.origin, err)
		}
	}
	r := &http.Request{Host: "any.example", Header: http.Header{"Origin": {"https://other.example"}}}
	if err := CheckCaller(r, []string{"*"}, []string{"*"}); err != nil {
		t.Error(err)
	}
}
