package functions

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// maxFunction is how long OpenAI lets the name of a function be.
const maxFunction = 64

// nameAll gives each tool its function name. A name that is allowed as it is stays so
// whatever else is there. One that has to be changed is changed letter by letter, and ends
// in a digest of the original where it would be too long or another tool's too: of two
// that collide both have a digest, so that neither depends on the order.
func nameAll(tools []Tool, several bool) {
	wanted, count := make([]string, len(tools)), map[string]int{}
	exact := map[string]bool{}
	for i, t := range tools {
		whole := t.Name
		if several {
			whole = t.Server + "__" + t.Name
		}
		wanted[i] = clean(whole)
		count[wanted[i]]++
		if wanted[i] == whole && len(whole) <= maxFunction && !exact[whole] {
			tools[i].Function, exact[whole] = whole, true
		}
	}
	var rest []int
	for i := range tools {
		w := wanted[i]
		switch {
		case tools[i].Function != "":
		case count[w] == 1 && len(w) <= maxFunction && strings.Trim(w, "_-") != "":
			tools[i].Function, exact[w] = w, true
		default:
			rest = append(rest, i)
		}
	}
	slices.SortFunc(rest, func(a, b int) int { return strings.Compare(identity(tools[a]), identity(tools[b])) })
	for _, i := range rest {
		tools[i].Function = digested(wanted[i], identity(tools[i]), exact)
	}
}

func identity(t Tool) string { return t.Server + "\x00" + t.Name }

// clean replaces each character that is not allowed.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// digested cuts the name and appends a digest of whose it is, another one while it is taken.
func digested(name, whose string, taken map[string]bool) string {
	for n := 0; ; n++ {
		of := whose
		if n > 0 {
			of += "\x00" + strconv.Itoa(n)
		}
		sum := sha256.Sum256([]byte(of))
		suffix := "_" + hex.EncodeToString(sum[:4])
		made := name[:min(len(name), maxFunction-len(suffix))] + suffix
		if !taken[made] {
			taken[made] = true
			return made
		}
	}
}
