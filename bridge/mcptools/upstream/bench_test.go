package upstream_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// echoServer is the least that a server of that revision may be.
func echoServer(revision string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := wire.RawID(wire.Get(body, "id"))
		method, _ := wire.Text(wire.Get(body, "method"))
		w.Header().Set("Content-Type", "application/json")
		switch {
		case method == "tools/call":
			w.Write(wire.Result(id, json.RawMessage(`{"content":[{"type":"text","text":`+string(wire.Path(body, "params", "arguments", "text"))+`}]}`)))
		case method == "server/discover" && mcp.Modern(revision):
			w.Write(wire.Result(id, json.RawMessage(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)))
		case method == "initialize":
			w.Header().Set("Mcp-Session-Id", "one")
			w.Write(wire.Result(id, json.RawMessage(`{"protocolVersion":"`+revision+`","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}`)))
		case id.IsZero():
			w.WriteHeader(http.StatusAccepted)
		default:
			w.WriteHeader(http.StatusNotFound)
			w.Write(wire.Failure(id, -32601, "no such method", nil))
		}
	})
}

func BenchmarkCallOverHTTP(b *testing.B) {
	for _, revision := range []string{mcp.Rev2511, mcp.Rev2607} {
		args := json.RawMessage(`{"text":"` + strings.Repeat("x", 1000) + `"}`)
		setup := func(b *testing.B) *upstream.Upstream {
			srv := newServer(b, echoServer(revision))
			return open(b, upstream.Config{Target: dial.Target{URL: srv}, Revision: revision})
		}
		b.Run(revision+"/direct", func(b *testing.B) {
			srv := newServer(b, echoServer(revision))
			raw := string(wire.Request(wire.IntID(1), "tools/call", json.RawMessage(`{"name":"echo","arguments":`+string(args)+`}`)))
			for b.Loop() {
				resp, err := http.Post(srv, "application/json", strings.NewReader(raw))
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
		b.Run(revision+"/one", func(b *testing.B) {
			u := setup(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := u.Call(b.Context(), "", upstream.Call{Tool: "echo", Args: args}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(revision+"/sixteen", func(b *testing.B) {
			u := setup(b)
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := u.Call(b.Context(), "", upstream.Call{Tool: "echo", Args: args}); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
