// Package audit is the log of calls: one row for each call of a tool, whatever became
// of it, in a SQLite file, each row chained to the one before by a hash. The tool
// server and the relay write the same log, and several processes may write one file.
//
// Secrets are taken out of arguments and details before a row is queued, so that none
// reaches the disk.
//
// What the chain finds: a row that was changed, taken out, put in, moved, or cut off at
// either end, and which one. What it cannot find: whoever can write to the file can
// write the whole chain anew, head included, for the hash has no key that such a one
// could not read. Note the Head elsewhere from time to time, and give it to Verify:
// then nothing up to that row can have been changed unseen.
//
// It imports internal/redact and internal/sqlitedb, and nothing above them.
package audit
