// Package redact holds, in one place, what is a secret and what stands instead of it.
//
// A [Redactor] replaces secrets in headers, addresses, JSON and text before anything is written to
// disk, a log or a report. A secret is known by the name it stands under (names.go), by its shape
// (shapes.go), by where it stands (userinfo of an address, after an authentication scheme), or because
// the caller named it ([Redactor.Known]). Everything else is kept byte for byte.
//
// What stands instead is [REDACTED:name:xxxx], where name is a word of this package and xxxx the
// beginning of a keyed digest of the secret: equal secrets stay equal under one key, and none can be
// guessed without it. Redacting twice is the same as once.
//
// The package knows no protocol and imports nothing of this module.
package redact
