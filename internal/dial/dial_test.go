package dial_test

import (
	"testing"

	"github.com/peerwright/peerwright/internal/dial"
)

// A command gets the environment but for what is hidden from it.
func TestHiddenVariables(t *testing.T) {
	t.Setenv("PEERWRIGHT_SEEN", "seen")
	t.Setenv("PEERWRIGHT_HIDDEN", "hidden")
	way, err := dial.Resolve(dial.Target{
		Command: []string{"sh", "-c", `printf '{"jsonrpc":"2.0","method":"%s%s"}\n' "$PEERWRIGHT_SEEN" "$PEERWRIGHT_HIDDEN"; cat`},
		Hide:    []string{"PEERWRIGHT_HIDDEN"},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := way.Dial(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if in, err := conn.Receive(t.Context()); err != nil || in.Method != "seen" {
		t.Errorf("%q, %v", in.Method, err)
	}
}
