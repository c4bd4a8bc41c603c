package harness

import (
	"fmt"
	"path"
	"slices"

	"github.com/peerwright/peerwright/conformance"
)

// Selection is the user's choice of cases. The zero Selection takes all.
type Selection struct {
	Only []string // patterns of ids; when there are any, nothing else is taken
	Skip []string // patterns of ids that are left out
}

// Takes tells whether the case with this id is to be run. In a pattern, * stands
// for any run of characters.
func (s Selection) Takes(id string) bool {
	match := func(p string) bool { ok, err := path.Match(p, id); return ok && err == nil }
	if len(s.Only) > 0 && !slices.ContainsFunc(s.Only, match) {
		return false
	}
	return !slices.ContainsFunc(s.Skip, match)
}

// Check fails when a pattern cannot be read or fits no case of the suites: most
// likely it is a slip of the pen, and would leave the user with less than he thinks.
func (s Selection) Check(suites ...conformance.Suite) error {
	var ids []string
	for _, suite := range suites {
		for _, m := range suite.Metas() {
			ids = append(ids, m.ID)
		}
	}
	for _, p := range slices.Concat(s.Only, s.Skip) {
		if err := fits(p, ids); err != nil {
			return err
		}
	}
	return nil
}

func fits(pattern string, ids []string) error {
	for _, id := range ids {
		ok, err := path.Match(pattern, id)
		if err != nil {
			return fmt.Errorf("pattern %q: %w", pattern, err)
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("pattern %q fits no case; see `peerwright cases`", pattern)
}
