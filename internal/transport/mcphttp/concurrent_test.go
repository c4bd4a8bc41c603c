package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// echo answers each request, in a goroutine of its own, with its params, after as
// many notifications as these say.
func echo(ctx context.Context, l transport.Link) error {
	var work sync.WaitGroup
	defer work.Wait()
	for {
		in, ok := next(ctx, l)
		if !ok {
			return nil
		}
		work.Go(func() {
			var params struct{ Notes int }
			_ = json.Unmarshal(in.Params, &params)
			for n := range params.Notes {
				_ = l.Send(ctx, transport.Answer{Raw: []byte(numbered(n)), Exchange: in.Exchange})
			}
			result := in.Params
			if in.Method == "initialize" {
				result = json.RawMessage(`{"protocolVersion":"2025-11-25"}`)
			}
			_ = l.Send(ctx, transport.Answer{Raw: wire.Result(in.ID, result), Exchange: in.Exchange})
		})
	}
}

// Bursts of calls at once: nothing is lost, doubled, or given to another call, be it
// answered as JSON or as a stream.
func TestManyCallsAtOnce(t *testing.T) {
	const calls = 200
	url := serve(t, echo, mcphttp.ServerOptions{})
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			conn, _ := dialURL(t, url, transport.Options{})
			extra := ""
			if revision == "2026-07-28" {
				extra = "," + meta
			} else {
				mustCall(t, conn, initialize)
			}
			conn.Negotiated(revision)
			var exchanges sync.Map // id by exchange
			var sending sync.WaitGroup
			for id := range calls {
				sending.Go(func() {
					body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":{"notes":%d%s}}`, id, id%5, extra)
					d, err := conn.Send(t.Context(), transport.Outgoing{Raw: []byte(body)})
					if err != nil || d.Status != 200 {
						t.Errorf("call %d: %+v, %v", id, d, err)
					}
					exchanges.Store(d.Exchange, id)
				})
			}
			notes, results := map[int]int{}, map[int]wire.ID{}
			for ends := 0; ends < calls; {
				switch in := receive(t, conn); {
				case in.End && in.Err != nil:
					t.Fatalf("exchange %d ended with %v", in.Exchange, in.Err)
				case in.End:
					ends++
				case in.Kind == wire.KindNotification:
					notes[in.Exchange]++
				default:
					results[in.Exchange] = in.ID
				}
			}
			sending.Wait()
			exchanges.Range(func(exchange, id any) bool {
				if got := results[exchange.(int)]; got != wire.IntID(int64(id.(int))) || notes[exchange.(int)] != id.(int)%5 {
					t.Errorf("call %v got the answer to %v and %d notifications", id, got, notes[exchange.(int)])
				}
				return true
			})
		})
	}
}

func BenchmarkCall(b *testing.B) {
	for name, tap := range map[string]wire.Tap{"bare": nil, "tapped": func(wire.Frame) {}} {
		b.Run(name, func(b *testing.B) {
			server := newBenchServer(b)
			conn, err := mcphttp.Dial(b.Context(), server, transport.Options{Tap: tap})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = conn.Close(context.Background()) }()
			conn.Negotiated("2026-07-28")
			body := []byte(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"` + string(make1KiB()) + `",` + meta + `}}`)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := conn.Send(b.Context(), transport.Outgoing{Raw: body}); err != nil {
					b.Fatal(err)
				}
				for {
					in, err := conn.Receive(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					if in.End {
						break
					}
				}
			}
		})
	}
}
