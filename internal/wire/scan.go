package wire

import "bytes"

// The scanner walks JSON without decoding it. It trusts nothing: on what is not JSON
// it stops, and never reads past the end. It does not check what stands inside a
// number or a literal.

// eachMember calls visit with the name, in its quotes, and the value of each member
// of the object in raw, until visit says no. It tells whether raw began with an
// object that was read to its end, with nothing but space behind.
func eachMember(raw []byte, visit func(name, value []byte) bool) bool {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return false
	}
	i = skipSpace(raw, i+1)
	if i < len(raw) && raw[i] == '}' {
		return skipSpace(raw, i+1) == len(raw)
	}
	for {
		nameAt := i
		i = skipString(raw, i)
		name := raw[nameAt:max(i, nameAt)]
		i = expect(raw, i, ':')
		valueAt := i
		i = skipValue(raw, i)
		if i < 0 {
			return false
		}
		if !visit(name, raw[valueAt:i:i]) {
			return true
		}
		i = skipSpace(raw, i)
		if i < len(raw) && raw[i] == '}' {
			return skipSpace(raw, i+1) == len(raw)
		}
		if i = expect(raw, i, ','); i < 0 {
			return false
		}
	}
}

// expect steps over c and the space around it; -1 when something else is there.
func expect(b []byte, i int, c byte) int {
	if i < 0 {
		return -1
	}
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != c {
		return -1
	}
	return skipSpace(b, i+1)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString returns where the string that begins at i ends; -1 when none does.
func skipString(b []byte, i int) int {
	if i < 0 || i >= len(b) || b[i] != '"' {
		return -1
	}
	i++
	for quote := -1; i <= len(b); {
		if quote < i {
			next := bytes.IndexByte(b[i:], '"')
			if next < 0 {
				return -1
			}
			quote = i + next
		}
		escape := bytes.IndexByte(b[i:quote], '\\')
		if escape < 0 {
			return quote + 1
		}
		i += escape + 2
	}
	return -1
}

// skipValue returns where the value that begins at i ends; -1 when none does. Of
// what is nested it counts the brackets.
func skipValue(b []byte, i int) int {
	if i < 0 || i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && isScalar(b[i]) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// isScalar tells whether c may stand in a number or a literal.
func isScalar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == 'E' || c == '-' || c == '+' || c == '.'
}
