package audit

// application marks the file as an audit log: "PWAU".
const application = 0x50574155

// migrations make the tables. chain has one row: the last row that was pruned, from
// which the chain goes on, and its head, without which rows could be cut off unseen.
func migrations() []string {
	return []string{`
CREATE TABLE calls (
	seq         INTEGER PRIMARY KEY,
	at_us       INTEGER NOT NULL,
	duration_us INTEGER NOT NULL,
	source      TEXT NOT NULL,
	server      TEXT NOT NULL,
	caller      TEXT NOT NULL,
	tool        TEXT NOT NULL,
	outcome     TEXT NOT NULL,
	detail      TEXT NOT NULL,
	correlation TEXT NOT NULL,
	arguments   TEXT NOT NULL,
	prev        BLOB NOT NULL,
	hash        BLOB NOT NULL
) STRICT;
CREATE INDEX calls_at ON calls (at_us);
CREATE TABLE chain (
	only        INTEGER PRIMARY KEY CHECK (only = 1),
	pruned_seq  INTEGER NOT NULL,
	pruned_hash BLOB NOT NULL,
	head_seq    INTEGER NOT NULL,
	head_hash   BLOB NOT NULL
) STRICT;
INSERT INTO chain VALUES (1, 0, zeroblob(32), 0, zeroblob(32));
`}
}
