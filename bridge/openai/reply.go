package openai

import "net/http"

// Reply takes an answer piece by piece. Its methods are for one goroutine at a time,
// and fail once the client is gone.
type Reply struct {
	// Has unexported fields (see the brief); the methods below are the contract.
}

// Header returns the HTTP headers of the answer. They are sent with the first piece.
func (r *Reply) Header() http.Header { panic("contract") }

// Begun tells whether something was sent that cannot be taken back.
func (r *Reply) Begun() bool { panic("contract") }

// ID returns the id of the completion.
func (r *Reply) ID() string { panic("contract") }

// Text appends to the content of the answer. The pieces are joined with nothing, byte
// for byte: a character that is cut in two is held back until its rest has come.
func (r *Reply) Text(s string) error { panic("contract") }

// ToolCalls puts calls into the answer; more than one use appends.
func (r *Reply) ToolCalls(calls []ToolCall) error { panic("contract") }

// Extra puts a member of ours beside those of the completion: into the document, or
// into the last chunk of a stream. The value is marshalled.
func (r *Reply) Extra(name string, value any) { panic("contract") }

// Finish ends the answer. It is to be called once; an answer that Chat ends without it
// and without an error ends with FinishStop.
func (r *Reply) Finish(reason string, u Usage) error { panic("contract") }
