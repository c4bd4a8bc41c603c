package a2apeer

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// executor is what the agent does.
type executor struct{ opts Options }

// run is one execution: what it says goes to yield, until that has enough.
type run struct {
	opts  Options
	ctx   context.Context //nolint:containedctx // the life of one execution
	info  *a2asrv.ExecutorContext
	yield func(a2a.Event, error) bool
	begun map[a2a.ArtifactID]bool // the artifacts that exist already
}

func newRun(ctx context.Context, o Options, info *a2asrv.ExecutorContext, yield func(a2a.Event, error) bool) *run {
	return &run{o, ctx, info, yield, map[a2a.ArtifactID]bool{}}
}

// Execute implements a2asrv.AgentExecutor.
func (e *executor) Execute(ctx context.Context, info *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		r := newRun(ctx, e.opts, info, yield)
		if info.StoredTask != nil {
			r.resume()
			return
		}
		switch firstWord(info.Message) {
		case "message":
			yield(r.message("You said: "+textOf(info.Message)), nil)
		case "input":
			_ = r.open() && r.status(a2a.TaskStateInputRequired, "What else?")
		case "slow":
			_ = r.open() && r.linger() && r.status(a2a.TaskStateCompleted, "")
		case "fail":
			_ = r.open() && r.status(a2a.TaskStateFailed, "It did not work.")
		case "reject":
			_ = r.begin() && r.status(a2a.TaskStateRejected, "That is not for this agent.")
		case "data":
			_ = r.open() && r.artifact("answer", true, dataPart()) && r.status(a2a.TaskStateCompleted, "")
		case "file":
			_ = r.open() && r.artifact("answer", true, fileParts()...) && r.status(a2a.TaskStateCompleted, "")
		default:
			_ = r.open() && r.answer() && r.status(a2a.TaskStateCompleted, "")
		}
	}
}

// Cancel implements a2asrv.AgentExecutor.
func (e *executor) Cancel(ctx context.Context, info *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		newRun(ctx, e.opts, info, yield).status(a2a.TaskStateCanceled, "Canceled.")
	}
}

// begin starts the stream with the task, as it must.
//
// https://a2a-protocol.org/latest/specification/#312-send-streaming-message
func (r *run) begin() bool {
	first := *r.info.Message
	first.TaskID, first.ContextID = r.info.TaskID, r.info.ContextID
	task := a2a.NewSubmittedTask(r.info, &first)
	task.Status.Timestamp = stamp()
	return r.yield(task, nil)
}

// open starts the task and the work on it.
func (r *run) open() bool { return r.begin() && r.status(a2a.TaskStateWorking, "") }

// resume goes on with a task that waited for input. Its stream starts with the
// task too.
func (r *run) resume() {
	task := *r.info.StoredTask
	if asked := task.Status.Message; asked != nil && len(task.History) > 0 { // the question stands before the answer
		task.History = slices.Insert(slices.Clone(task.History), len(task.History)-1, asked)
	}
	task.Status = a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: stamp()}
	_ = r.yield(&task, nil) && r.answer() && r.status(a2a.TaskStateCompleted, "")
}

// answer streams an artifact in three pieces.
//
// https://a2a-protocol.org/latest/specification/#422-taskartifactupdateevent
func (r *run) answer() bool {
	return r.artifact("answer", false, textPart("You said: ")) &&
		r.artifact("answer", false, textPart(textOf(r.info.Message))) &&
		r.artifact("answer", true, textPart("."))
}

// linger takes its time, and shows it.
func (r *run) linger() bool {
	const pieces = 20
	for i := range pieces {
		if !r.pause(r.opts.Slow/pieces) || !r.artifact("progress", i == pieces-1, textPart(".")) {
			return false
		}
	}
	return true
}

func (r *run) status(state a2a.TaskState, text string) bool {
	if !r.pause(r.opts.Step) {
		return false
	}
	var note *a2a.Message
	if text != "" {
		note = r.message(text)
		note.TaskID = r.info.TaskID
	}
	event := a2a.NewStatusUpdateEvent(r.info, state, note)
	event.Status.Timestamp = stamp()
	return r.yield(event, nil)
}

// artifact adds parts to the artifact of that id, which the first ones make.
func (r *run) artifact(id a2a.ArtifactID, last bool, parts ...*a2a.Part) bool {
	if !r.pause(r.opts.Step) {
		return false
	}
	event := a2a.NewArtifactUpdateEvent(r.info, id, parts...)
	event.Append, event.LastChunk = r.begun[id], last
	r.begun[id] = true
	event.Artifact.Name = string(id)
	return r.yield(event, nil)
}

// message is a message of the agent, within the context.
//
// https://a2a-protocol.org/latest/specification/#341-context-identifier-semantics
func (r *run) message(text string) *a2a.Message {
	m := a2a.NewMessage(a2a.MessageRoleAgent, textPart(text))
	m.ContextID = r.info.ContextID
	return m
}

// pause waits d, or less when the task is canceled; it tells whether to go on.
func (r *run) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}

func textPart(s string) *a2a.Part { p := a2a.NewTextPart(s); p.MediaType = "text/plain"; return p }

func dataPart() *a2a.Part {
	p := a2a.NewDataPart(map[string]any{"answer": float64(42), "words": []any{"one", "two"}, "nothing": nil})
	p.MediaType = "application/json"
	return p
}

func fileParts() []*a2a.Part {
	raw := a2a.NewRawPart([]byte("some bytes\x00\xff"))
	raw.Filename, raw.MediaType = "bytes.bin", "application/octet-stream"
	link := a2a.NewFileURLPart("https://example.com/page.txt", "text/plain")
	link.Filename = "page.txt"
	return []*a2a.Part{raw, link}
}

// textOf is the text of the message's parts.
func textOf(m *a2a.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text())
	}
	return b.String()
}

func firstWord(m *a2a.Message) string {
	word, _, _ := strings.Cut(strings.TrimSpace(textOf(m)), " ")
	return strings.ToLower(strings.Trim(word, ".,:!?"))
}

// stamp is the present time as a status carries it: UTC, three digits of a second.
// A last digit of 0 would not be written, so there is none.
//
// https://a2a-protocol.org/latest/specification/#561-timestamps
func stamp() *time.Time {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if now.UnixMilli()%10 == 0 {
		now = now.Add(time.Millisecond)
	}
	return &now
}
