package pages_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/pages"
)

func benchmark(b *testing.B, payload string) {
	b.Helper()
	src := pages.Source{Schema: schemaOf("cursor")}
	b.SetBytes(int64(len(payload)))
	for b.Loop() {
		pages.Normalize(src, json.RawMessage(payload), sealer, now)
	}
}

func listOf(size int) string {
	return `{"items":[` + strings.TrimSuffix(strings.Repeat(`{"id":1,"name":"something"},`, size/28), ",") + `],"next_cursor":"x"}`
}

func BenchmarkNormalize1KiB(b *testing.B) { benchmark(b, listOf(1<<10)) }
func BenchmarkNormalize1MiB(b *testing.B) { benchmark(b, listOf(1<<20)) }

// What is no list is most of what tools return.
func BenchmarkText1KiB(b *testing.B)   { benchmark(b, `"`+strings.Repeat("x", 1<<10)+`"`) }
func BenchmarkObject1KiB(b *testing.B) { benchmark(b, `{"text":"`+strings.Repeat("x", 1<<10)+`"}`) }
func BenchmarkTags1KiB(b *testing.B) {
	benchmark(b, `{"text":"`+strings.Repeat("x", 1<<10)+`","tags":["a","b"],"id":7}`)
}
