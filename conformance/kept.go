package conformance

import (
	"fmt"

	"github.com/peerwright/peerwright/internal/transport"
)

// Kept is how many bytes of what travels a target keeps in one run: four messages of
// the greatest length, or some hundred thousand small ones.
const Kept = 256 << 20

// ErrTooMuch is what Open returns, and ends a run, once a peer has sent more than that.
// It is a transport.ErrUnreachable.
var ErrTooMuch error = tooMuchError{}

type tooMuchError struct{}

func (tooMuchError) Error() string {
	return fmt.Sprintf("the peer has sent more than the %d MiB that are kept of a run", Kept>>20)
}

// Is makes a run end as with a peer that is gone: nobody listens any more.
func (tooMuchError) Is(target error) bool { return target == transport.ErrUnreachable }
