package mcp

import "strings"

// strings makes up strings: of the format, after the pattern, of the length.
func (s shape) strings() []any {
	least, most := s.whole("minLength", 0, maxOf), s.whole("maxLength", maxMade, minOf)
	if least > maxMade || least > most {
		return nil
	}
	var out []any
	for _, one := range s {
		if format, ok := one["format"].(string); ok {
			out = appendText(out, sampleOf(format))
		}
	}
	patterned := false
	for _, one := range s {
		if pattern, ok := one["pattern"].(string); ok {
			patterned = true
			out = append(out, matching(pattern, least)...)
		}
	}
	text := "a" // an empty one is legal and means nothing to most tools
	if most == 0 {
		text = ""
	}
	if pad := least - len(text); pad > 0 {
		text += strings.Repeat("a", pad)
	}
	if out = append(out, text); patterned {
		out = append(out, commonSamples()...)
	}
	return out
}

func appendText(out []any, text string) []any {
	if text == "" {
		return out
	}
	return append(out, text)
}

// sampleOf returns a string of the format; "" for one that is not known. The names
// are those that RFC 2606 keeps for examples.
func sampleOf(format string) string {
	switch format {
	case "date-time":
		return "2025-01-01T00:00:00Z"
	case "date":
		return "2025-01-01"
	case "time":
		return "00:00:00Z"
	case "duration":
		return "PT1S"
	case "email", "idn-email":
		return "a@example.com"
	case "hostname", "idn-hostname":
		return "example.com"
	case "ipv4":
		return "127.0.0.1"
	case "ipv6":
		return "::1"
	case "uri", "iri", "url", "uri-reference", "iri-reference":
		return "https://example.com/"
	case "uri-template":
		return "https://example.com/{a}"
	case "uuid":
		return "00000000-0000-4000-8000-000000000000"
	case "json-pointer":
		return "/a"
	case "relative-json-pointer":
		return "0/a"
	case "regex":
		return "a"
	}
	return ""
}

// commonSamples are strings that many a pattern is written for.
func commonSamples() []any {
	return []any{
		"A", "1", "a1", "abc", "ABC", "abc123", "12345", "2025-01-01", "2025-01-01T00:00:00Z", "https://example.com/",
		"a@example.com", "00000000-0000-4000-8000-000000000000", "127.0.0.1", "1.0.0", "en", "en-US", "USD", "/a", "a/b", "#000000",
	}
}
