package agent

import (
	"testing"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// BenchmarkTurn is a turn over loopback, with the agent's own work in it: a stream of
// ten chunks, and one document.
func BenchmarkTurn(b *testing.B) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	events := []object{d.taskEvent(d.status(Working))}
	for range 10 {
		events = append(events, d.chunkEvent(artifact("a", d.parts("some words of an answer ")), appends()))
	}
	events = append(events, d.statusEvent(d.status(Completed), true))
	for name, streaming := range map[string]bool{"stream": true, "call": false} {
		b.Run(name, func(b *testing.B) {
			s := serveTo(b, d, streaming, map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) { r.stream(events...) },
				a2ahttp.SendMessage:          func(r request) { r.answer(d.messageEvent("m", "some words of an answer")) },
			})
			s.forget = true
			a := New(Config{ID: "bench", CardURL: s.URL})
			b.Cleanup(a.Close)
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if _, err := a.Send(b.Context(), hello(), func(Update) error { return nil }); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
