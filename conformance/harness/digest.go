package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/conformance"
)

// Digest names a set of suites: two reports with the same digest asked the same
// questions. It changes with any id, level or rule.
func Digest(suites ...conformance.Suite) string {
	var lines []string
	for _, s := range suites {
		for _, m := range s.Metas() {
			lines = append(lines, fmt.Sprintf("%s %s %v %s", m.ID, m.Level, m.Revisions, m.Rule.Text))
		}
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		fmt.Fprintln(h, line) //nolint:errcheck // a hash never fails to write
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
