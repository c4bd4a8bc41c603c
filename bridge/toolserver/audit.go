package toolserver

import "github.com/peerwright/peerwright/internal/store/audit"

// AuditLog is the log of calls, a SQLite file with one row for each call. Its methods
// are Entries, Prune, Verify, Head, Flush and Ready; `peerwright audit` reads the file
// too.
type AuditLog = audit.Log

// Entry is one call in the log.
type Entry = audit.Entry

// Filter chooses entries; the zero value chooses all.
type Filter = audit.Filter

// Bounds say what Prune takes out.
type Bounds = audit.Bounds

// Head is a place in the chain of the log, to be noted elsewhere.
type Head = audit.Head

// Verification is what Verify found.
type Verification = audit.Verification

// Outcome is how a call ended.
type Outcome = audit.Outcome

// The outcomes.
const (
	OK      = audit.OK      // it ran
	Failed  = audit.Error   // it ran, and failed
	Timeout = audit.Timeout // it was given up; it may have had its effect
	Denied  = audit.Denied  // it was not allowed
	Invalid = audit.Invalid // its arguments were wrong
)
