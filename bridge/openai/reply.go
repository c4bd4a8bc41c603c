package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/peerwright/peerwright/internal/wire"
)

// Reply takes an answer piece by piece. Its methods are for one goroutine at a time,
// and fail once the client is gone.
type Reply struct {
	ctx    context.Context // of the request
	header *Header
	head   head
	sink   sink      // where the answer goes
	copy   *document // a copy of it for the trace; nil where nothing is traced or the sink is one
	extras []wire.Member
	err    error // why the answer cannot be finished: an extra that is no JSON
	ended  bool
}

// sink is where an answer goes: a stream or a document.
type sink interface {
	text(s string) error
	toolCalls(calls []ToolCall) error
	delta(name string, value json.RawMessage) error
	finish(reason string, u Usage, extras []wire.Member) error
	// begun tells whether something was sent.
	begun() bool
}

// head is what all chunks of an answer have in common.
type head struct {
	id      string
	created int64 // Unix seconds
	model   string
}

// errFinished says that a backend goes on after the end of its answer.
var errFinished = errors.New("the answer is finished already")

// errOwnMethod says that a backend puts a known member where unknown ones belong.
var errOwnMethod = errors.New("the member has a method of its own")

// Header returns the HTTP headers of the answer. They are sent with the first piece,
// with the first keep-alive comment, or with the failure that is answered instead.
func (r *Reply) Header() *Header { return r.header }

// Begun tells whether something was sent that cannot be taken back. In a stream a
// keep-alive comment is enough for that; a document is sent when it is finished.
func (r *Reply) Begun() bool { return r.sink.begun() }

// ID returns the id of the completion.
func (r *Reply) ID() string { return r.head.id }

// Text appends to the content of the answer. The pieces are joined with nothing, byte
// for byte: a character that is cut in two is held back until its rest has come. Bytes
// that are no UTF-8 even so cannot stand in JSON, and are replaced by U+FFFD each.
func (r *Reply) Text(s string) error {
	if s == "" {
		return r.alive()
	}
	return r.put(func(to sink) error { return to.text(s) })
}

// ToolCalls puts calls into the answer; more than one use appends. Of a call its ID,
// Name and Arguments are written, and its Type or else "function".
func (r *Reply) ToolCalls(calls []ToolCall) error {
	return r.put(func(to sink) error { return to.toolCalls(calls) })
}

// Extra puts a member of ours beside those of the completion: into the document, or
// into the last chunk of a stream. The value is marshalled at once; one that cannot be
// makes Finish fail. A json.RawMessage is taken as it is.
func (r *Reply) Extra(name string, value any) {
	if raw, ok := value.(json.RawMessage); ok {
		r.extras = append(r.extras, wire.Member{Name: name, Value: raw})
		return
	}
	raw, err := wire.Marshal(value)
	if err != nil {
		r.err = fmt.Errorf("member %s of the answer: %w", name, err)
		return
	}
	r.extras = append(r.extras, wire.Member{Name: name, Value: raw})
}

// Finish ends the answer. It is to be called once; an answer that Chat ends without it
// and without an error ends with FinishStop.
func (r *Reply) Finish(reason string, u Usage) error {
	if r.err != nil {
		return r.err
	}
	err := r.put(func(to sink) error { return to.finish(reason, u, r.extras) })
	r.ended = true
	return err
}

// put hands a piece of the answer to the sink and to the copy.
func (r *Reply) put(piece func(to sink) error) error {
	if err := r.alive(); err != nil {
		return err
	}
	if r.copy != nil {
		_ = piece(r.copy) // it is kept in memory, which does not fail
	}
	return piece(r.sink)
}

// alive tells why nothing can be written any more.
func (r *Reply) alive() error {
	if r.ended {
		return errFinished
	}
	if r.ctx.Err() != nil {
		return fmt.Errorf("writing the answer: %w", context.Cause(r.ctx))
	}
	return nil
}
