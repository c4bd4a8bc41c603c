package agent

// Kind says what an Update tells.
type Kind string

// The kinds.
const (
	// Begun is sent when the ids of context or task became known, or are others: what
	// has to be kept for the next turn can be kept now.
	Begun Kind = "begun"
	// Note is text by which the agent tells what it is doing: the status of a task that
	// works. It is no part of the answer.
	Note Kind = "note"
	// Text is text to append to the answer.
	Text Kind = "text"
	// Data is a data part of the answer.
	Data Kind = "data"
	// Attachment is a file part of the answer.
	Attachment Kind = "file"
	// Replaced says that what was told of the artifact does not stand any more. What
	// stands in its place follows in updates of their own, the first with New. An
	// artifact that only grew is not replaced: its rest is told.
	Replaced Kind = "replaced"
)

// Source says where in the protocol an Update comes from.
type Source string

// The sources.
const (
	FromArtifact Source = "artifact"
	FromMessage  Source = "message" // a message in place of a task
	FromStatus   Source = "status"  // the message of a task's status
)

// Update is one thing that the agent said.
type Update struct {
	Kind      Kind
	Source    Source // "" for Begun
	ContextID string // "" while it is not known
	TaskID    string // "" while it is not known, and for a message without a task
	// ArtifactID and ArtifactName are those of the artifact; "" for another source.
	ArtifactID   string
	ArtifactName string
	// New marks the first update of an artifact, a message or a status: it is separated
	// from what stands before it. The others follow what stands before them with
	// nothing between. An artifact that goes on after another one has begun is New again.
	New  bool
	Part // Text of Note and Text, Data of Data, File of Attachment
}
