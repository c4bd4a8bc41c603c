package toolserver

import "fmt"

// Tier says what a tool may do to the world, and so who must allow it. The zero value is
// no tier: a tool must name one.
type Tier uint8

// The tiers.
const (
	ReadOnly    Tier = iota + 1 // it changes nothing: always allowed
	Write                       // it adds or changes: allowed unless the server is read-only
	Destructive                 // it may destroy: allowed when the confirmation hook says so
)

// String returns the word for the tier.
func (t Tier) String() string {
	switch t {
	case ReadOnly:
		return "read-only"
	case Write:
		return "write"
	case Destructive:
		return "destructive"
	default:
		return fmt.Sprintf("no tier (%d)", uint8(t))
	}
}

func (t Tier) valid() bool { return t >= ReadOnly && t <= Destructive }
