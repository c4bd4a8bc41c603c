package mcp

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// matching makes up strings after a regular expression: with every repetition as
// short as it may be, then longer ones.
func matching(pattern string, least int) []any {
	matcher, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	var out []any
	for _, more := range []int{0, 1, least} {
		var b strings.Builder
		spell(&b, tree, more)
		if text := b.String(); utf8.RuneCountInString(text) >= least && matcher.MatchString(text) {
			out = append(out, text)
		}
	}
	return out
}

// spell writes what the expression matches, every repetition `more` times more
// than it must be.
func spell(b *strings.Builder, re *syntax.Regexp, more int) {
	if b.Len() > maxMade {
		return
	}
	times := 1
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(plainest(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpAlternate:
		spell(b, re.Sub[0], more)
		return
	case syntax.OpStar, syntax.OpQuest:
		times = more
	case syntax.OpPlus:
		times = 1 + more
	case syntax.OpRepeat:
		if times = re.Min + more; re.Max >= 0 {
			times = min(times, re.Max)
		}
	}
	if re.Op == syntax.OpQuest {
		times = min(times, 1)
	}
	for range times {
		for _, sub := range re.Sub {
			spell(b, sub, more)
		}
	}
}

// plainest picks a letter or a digit out of a class of runes where it has one.
func plainest(ranges []rune) rune {
	for _, wanted := range "aA0" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= wanted && wanted <= ranges[i+1] {
				return wanted
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}

// checkPatterns refuses a schema with a regular expression that would take too long
// to match with.
func checkPatterns(schema any) error {
	for _, key := range sortedKeys(schema) {
		value := member(schema, key)
		patterns := []string{}
		if text, ok := value.(string); ok && key == "pattern" {
			patterns = append(patterns, text)
		} else if key == "patternProperties" {
			patterns = sortedKeys(value)
		}
		for _, pattern := range patterns {
			tree, err := syntax.Parse(pattern, syntax.Perl)
			if err == nil && patternCost(tree) > maxPatternCost { // the compiler tells of what cannot be parsed
				return fmt.Errorf("the pattern %q is too large to match with", clip(pattern, 100))
			}
		}
		if err := checkPatterns(value); err != nil {
			return err
		}
	}
	for _, one := range list(schema) {
		if err := checkPatterns(one); err != nil {
			return err
		}
	}
	return nil
}

// patternCost is about the number of instructions that the expression compiles to.
func patternCost(re *syntax.Regexp) int {
	cost := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		cost += patternCost(sub)
	}
	if re.Op == syntax.OpRepeat {
		cost *= max(re.Min, re.Max, 1)
	}
	return min(cost, maxPatternCost+1)
}
