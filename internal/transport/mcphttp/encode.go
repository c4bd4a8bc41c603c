package mcphttp

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// The marks around a header value that is encoded.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// EncodeHeader returns the value as a header of 2026-07-28 carries it: as it is, or
// between the marks when it has a character that is not visible ASCII or a space
// inside, or looks encoded already.
func EncodeHeader(value string) string {
	if plainHeader(value) && !looksEncoded(value) {
		return value
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(value)) + encodedSuffix
}

// DecodeHeader returns the value that the header carries. It fails when the header
// has a character that may not stand there, or marks around what is not base64.
func DecodeHeader(header string) (string, error) {
	if !plainHeader(header) {
		return "", fmt.Errorf("header value %q has characters that must be encoded", header)
	}
	if !looksEncoded(header) {
		return header, nil
	}
	text := header[len(encodedPrefix) : len(header)-len(encodedSuffix)]
	value, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("header value %q: %w", header, err)
	}
	return string(value), nil
}

func looksEncoded(s string) bool {
	return len(s) >= len(encodedPrefix)+len(encodedSuffix) &&
		strings.HasPrefix(s, encodedPrefix) && strings.HasSuffix(s, encodedSuffix)
}

func plainHeader(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.TrimSpace(s) == s
}
