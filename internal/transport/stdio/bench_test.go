//go:build unix

package stdio

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// call makes one call and waits for its answer.
func call(b *testing.B, c *Conn, msg []byte) {
	if _, err := c.Send(b.Context(), transport.Outgoing{Raw: msg}); err != nil {
		b.Fatal(err)
	}
	if _, err := c.Receive(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func kibibyte() []byte {
	return wire.Request(wire.IntID(1), "x", []byte(`["`+string(bytes.Repeat([]byte("x"), 960))+`"]`))
}

func BenchmarkCallPipe(b *testing.B) {
	c := DialPipe(b.Context(), func(ctx context.Context, r io.Reader, w io.Writer) error {
		return Serve(ctx, r, w, echoing, transport.Options{})
	}, transport.Options{})
	defer c.Close(b.Context())
	for b.Loop() {
		call(b, c, kibibyte())
	}
}

func BenchmarkCallChild(b *testing.B) {
	c, err := Dial(b.Context(), script("cat"), transport.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(b.Context())
	for b.Loop() {
		call(b, c, kibibyte())
	}
}

func BenchmarkCallChild16InFlight(b *testing.B) {
	c, err := Dial(b.Context(), script("cat"), transport.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(b.Context())
	msg := kibibyte()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			call(b, c, msg)
		}
	})
}
