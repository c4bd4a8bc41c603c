package reporters

import "time"

// SchemaName is the value of [Report.Schema]: the name and version of the document.
const SchemaName = "peerwright.report/1"

// Report is one run of the suite on any number of peers.
//
// Schema, Verdict and Summary are set by [Complete].
type Report struct {
	Schema     string    `json:"schema"`
	Tool       Tool      `json:"tool"`
	StartedAt  time.Time `json:"started_at"` // written in UTC, to the millisecond
	DurationMS int64     `json:"duration_ms"`
	Verdict    Verdict   `json:"verdict"`
	Summary    Summary   `json:"summary"`
	Peers      []Peer    `json:"peers"`
	Reproduce  string    `json:"reproduce"` // the command that runs this again
}

// Tool names the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Suite   string `json:"suite"` // "sha256:" and the digest of the list of cases, in lower-case hex
}

// Peer is one MCP server or A2A agent under test, and what came of its cases.
//
// Verdict, Summary, Levels and Areas are set by [Complete]. Name, Version, Revision and Features are
// what the peer said of itself, and empty where it said nothing.
type Peer struct {
	Protocol  string   `json:"protocol"`  // mcp, a2a or chat
	Transport string   `json:"transport"` // stdio, http, …
	Target    string   `json:"target"`    // how it was reached
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Revision  string   `json:"revision"` // the negotiated one
	Features  []string `json:"features"`
	// Error says why the peer could not be started or reached. Such a peer is incomplete, and counts
	// as one errored in the summaries unless its cases already do.
	Error   string  `json:"error,omitempty"`
	Verdict Verdict `json:"verdict"`
	Summary Summary `json:"summary"`
	Levels  Levels  `json:"levels"`
	Areas   Areas   `json:"areas"`
	Cases   []Case  `json:"cases"`
	Calls   []Call  `json:"calls"`
}

// Case is what came of one check of one rule.
type Case struct {
	ID         string  `json:"id"` // stable for ever: mcp.pagination.invalid-cursor
	Title      string  `json:"title"`
	Area       string  `json:"area"`
	Level      Level   `json:"level"`
	Core       bool    `json:"core"` // any peer can be put through it
	Status     Status  `json:"status"`
	Reason     string  `json:"reason,omitempty"` // why it has this status, where it is not plain
	Rule       Rule    `json:"rule"`
	DurationMS int64   `json:"duration_ms"`
	Expected   string  `json:"expected,omitempty"`
	Actual     string  `json:"actual,omitempty"`
	Fix        string  `json:"fix,omitempty"` // what the author of the peer can do
	Transcript []Frame `json:"transcript,omitempty"`
}

// Rule is one normative statement, in our words, and where the specification makes it.
type Rule struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Frame is one line of a transcript: one thing seen on the wire.
type Frame struct {
	N         int    `json:"n"`     // from 1, in order
	AtUS      int64  `json:"at_us"` // microseconds since the conversation began
	Dir       string `json:"dir"`   // Out or In
	Kind      string `json:"kind"`  // message, request-head, sse-event, close, …
	Text      string `json:"text"`
	Truncated bool   `json:"truncated,omitempty"` // the end of Text was cut off
	LeftOut   int    `json:"left_out,omitempty"`  // how many frames before this one are not shown
}

// Call is a tool, skill or method that the suite called on the peer, and what for. Calls with the same
// Tool and Why are one entry.
type Call struct {
	Tool  string `json:"tool"`
	Why   string `json:"why"`
	Count int    `json:"count"`
}
