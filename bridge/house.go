package bridge

import "strings"

// kindOf returns the kind of a store from its name: what stands before the place.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(name, ":")
	kind, _, _ = strings.Cut(kind, " ")
	return kind
}
