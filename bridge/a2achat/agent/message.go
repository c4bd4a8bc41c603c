package agent

import (
	"encoding/json"
	"net/http"
)

// Message is what the user says in one turn.
type Message struct {
	// MessageID is unique to the turn; required. A message is sent once.
	MessageID string
	// ContextID and TaskID are those of the conversation and of the task that waits for
	// input; "" has the agent make new ones.
	ContextID string
	TaskID    string
	Parts     []Part
	// Header goes with the calls of this turn, as Config.Header does, and replaces it:
	// the identity of the caller.
	Header http.Header
}

// Part is a piece of content, sent or received: a file where File is set, else data
// where Data is set, else text.
type Part struct {
	Text string
	Data json.RawMessage // as received; any JSON in 1.0, an object before it
	File *File
}

// File is a file by its URI, or with its content.
type File struct {
	Name      string // "" without one
	MediaType string // "" when it is not said
	URI       string // "" when the content stands in Base64
	Base64    string // as on the wire
}
