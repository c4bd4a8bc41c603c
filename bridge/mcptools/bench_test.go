package mcptools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// BenchmarkBridge carries calls of 1 KiB. Client, bridge and server are three processes
// on the same cores; the direct client is internal/mcp, on the same server. The budgets:
// 150 µs more than directly at the median, 12,000 calls a second at 16 in flight, 82 MiB.
func BenchmarkBridge(b *testing.B) {
	server := play(b, "server")
	bridge := play(b, server.url)
	const path = "/v1/chat/completions"
	text := strings.Repeat("x", 1000)
	args := fmt.Sprintf(`{"text":%q}`, text)
	asked := body(call{name: "echo", args: args})
	client := connect(b, server.url)
	params := json.RawMessage(`{"name":"echo","arguments":` + args + `}`)
	direct := func() error {
		reply, err := client.Request(b.Context(), "tools/call", params)
		if err == nil && len(reply.Result) < len(text) {
			err = fmt.Errorf("the answer is %s", reply.Raw)
		}
		return err
	}
	var alone time.Duration
	b.Run("direct/one", func(b *testing.B) { alone = one(b, direct) })
	b.Run("bridge/one", func(b *testing.B) {
		median := one(b, newLean(b, bridge.url, path, asked).post)
		b.ReportMetric(microseconds(median-alone), "added-p50-µs")
	})
	b.Run("direct/sixteen", func(b *testing.B) { together(b, slices.Repeat([]func() error{direct}, 16)) })
	b.Run("bridge/sixteen", func(b *testing.B) {
		before := bridge.cpu(b)
		together(b, posts(b, 16, bridge.url, path, asked))
		b.ReportMetric(microseconds(bridge.cpu(b)-before)/float64(b.N), "bridge-cpu-µs/op")
		b.ReportMetric(bridge.memory(b), "bridge-MiB")
	})
	waiting := body(call{name: "echo", args: fmt.Sprintf(`{"text":%q,"wait":500}`, text)})
	b.Run("bridge/thousand", func(b *testing.B) {
		together(b, posts(b, 1000, bridge.url, path, waiting))
		b.ReportMetric(bridge.memory(b), "bridge-MiB")
	})
}

// connect is the client that the bridge itself stands on.
func connect(b *testing.B, url string) *mcp.Client {
	b.Helper()
	client, err := mcp.Connect(b.Context(), mcp.Options{
		Client: mcp.Implementation{Name: "direct", Version: "1"},
		Dial: func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
			return mcphttp.Dial(ctx, url, transport.Options{Tap: tap})
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Close(context.Background()) })
	return client
}

func posts(b *testing.B, n int, url, path, body string) []func() error {
	b.Helper()
	all := make([]func() error, n)
	for i := range all {
		all[i] = newLean(b, url, path, body).post
	}
	return all
}

// one makes one call at a time, and returns how long the median of them takes.
func one(b *testing.B, do func() error) time.Duration {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	median := took[len(took)/2]
	b.ReportMetric(microseconds(median), "p50-µs")
	b.ReportMetric(microseconds(took[len(took)*99/100]), "p99-µs")
	return median
}

// together makes as many calls at a time as there are ways to make them.
func together(b *testing.B, do []func() error) {
	b.Helper()
	turns := make(chan struct{}, len(do))
	var all sync.WaitGroup
	for _, do := range do {
		all.Go(func() {
			for range turns {
				if err := do(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		turns <- struct{}{}
	}
	close(turns)
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

func microseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
