package transport

import (
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// FuzzAnswers holds the reader that stops early against the one that reads all.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"id":2}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":"a"}`,
		`{"jsonrpc":"2.0","id":1,"method":"x"}`, `[{"jsonrpc":"2.0","id":1.0,"result":[]}]`, ` `, `{"id":`, `[`,
		`{"jsonrpc":"2.0","a":{"b":["\\"}",[]],"c":-1.5e3} , "\u0069d" : null ,"result":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := answers(raw)
		m := wire.Parse(raw)
		if len(m.Problems) > 0 || m.Kind == wire.KindBatch {
			return
		}
		if m.IsResponse() && !m.ID.IsZero() {
			if len(got) != 1 || got[0] != m.ID {
				t.Errorf("answers %v, want %s", got, m.ID)
			}
		} else if len(got) > 0 {
			t.Errorf("answers %v, but it is a %s", got, m.Kind)
		}
	})
}
