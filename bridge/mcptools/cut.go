package mcptools

import (
	"fmt"
	"strings"
)

// How much of what others wrote stands in a message, in bytes: of the name of a tool, which
// may be made up, and of what a tool says of its failure.
const (
	mostName = 200
	mostSaid = 64 << 10
)

// shortName is a name as it stands in a message.
func shortName(name string) string {
	if len(name) <= mostName {
		return name
	}
	return strings.ToValidUTF8(name[:mostName], "") + "…"
}

// shortSaid is what a tool says of its failure. The rest of it is kept nowhere: nobody reads
// that far for what went wrong.
func shortSaid(said string) string {
	if len(said) <= mostSaid {
		return said
	}
	return fmt.Sprintf("%s… (cut: the tool said %d bytes, of which these are the first)", strings.ToValidUTF8(said[:mostSaid], ""), len(said))
}
