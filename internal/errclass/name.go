package errclass

import (
	"strings"
	"unicode"
)

// readVerbs are the first words of names of tools that only read. Words that may also mean something
// else are not among them: check (out), query (which may be any SQL), run.
var readVerbs = wordSet(`
	get list search find read fetch describe show count lookup look view head stat stats exists inspect
	browse retrieve has is ls cat grep compare diff`)

// conjunctions are the words after which a name goes on to say what else the tool does.
var conjunctions = wordSet(`and or then`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// readsByName reports whether the name of a tool says that it only reads: get_order does, get_or_create
// does not. A name that says nothing does not: the mistake on that side costs a retry, on the other a
// second payment.
func readsByName(name string) bool {
	words := nameWords(localName(name))
	if len(words) == 0 || !readVerbs[words[0]] {
		return false
	}
	for i, w := range words {
		if conjunctions[w] && (i+1 == len(words) || !readVerbs[words[i+1]]) {
			return false
		}
	}
	return true
}

// localName returns what follows the names of servers that hosts put before the name of a tool, as in
// github.list_repos, github/list_repos and mcp__github__list_repos.
func localName(name string) string {
	for _, separator := range []string{".", "/", ":", "__"} {
		if i := strings.LastIndex(name, separator); i >= 0 {
			name = name[i+len(separator):]
		}
	}
	return name
}

// nameWords returns the words of a name in camelCase, snake_case or kebab-case, in lower case.
func nameWords(name string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	small := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsUpper(r) && small {
			end()
		}
		small = unicode.IsLower(r)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word.WriteRune(unicode.ToLower(r))
		}
	}
	end()
	return words
}
