package mcpserve

import (
	"github.com/peerwright/peerwright/internal/rawjson"
	"github.com/peerwright/peerwright/internal/wire"
)

// forward gives a request to the SDK. Those of 2026-07-28 get a conversation each,
// so that none leaves anything behind for the next, and so that two subscriptions
// do not replace each other.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#statelessness
func (d *desk) forward(m wire.Message, t tag) {
	if !isModern(m) {
		if m.Method == "initialize" {
			requested, _ := wire.Text(wire.Get(m.Params, "protocolVersion")) // a string, as checked
			d.mu.Lock()
			d.revision = negotiated(requested)
			d.mu.Unlock()
		}
		if p := d.open(); p != nil {
			p.send(d.judge.inbound(m, t))
		}
		return
	}
	p, err := newPipe(d.ctx, d.server.modern, func(raw []byte) { d.deliver(raw, revModern) })
	if err != nil {
		d.fail(t, err)
		return
	}
	d.mu.Lock()
	d.running[t.seq] = p
	d.mu.Unlock()
	p.send(d.judge.inbound(m, t))
}

// open returns the conversation of the legacy session, which it starts once.
func (d *desk) open() *pipe {
	if p := d.session(); p != nil {
		return p
	}
	p, err := newPipe(d.ctx, d.server.legacy, func(raw []byte) { d.deliver(raw, d.speaks()) })
	if err != nil {
		return nil // the context has ended, and with it the client
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.legacy = p
	return p
}

func (d *desk) session() *pipe {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.legacy
}

func (d *desk) fail(t tag, err error) {
	d.calls.end(t)
	d.taken.Done()
	d.refuse(t.id, faultf(codeInternal, "internal error: %v", err))
}

// deliver brings a message of the SDK to the client.
func (d *desk) deliver(raw []byte, revision string) {
	m := wire.Parse(raw)
	mend := mender{revision, &d.calls, false, d.judge.cursors}
	t, tagged := parseTag([]byte(m.ID.String()))
	if !m.IsResponse() || !tagged {
		if mended := mend.outbound(raw); mended != nil {
			d.say(mended)
		}
		return
	}
	waited := d.calls.end(t)
	mended := mend.outbound(raw)
	d.calls.settle(t)
	if b := d.batchOf(t); b != nil {
		d.collect(b, mended)
	} else if mended != nil {
		d.say(mended)
	}
	if waited {
		d.release(t)
	}
}

// release lets go of what served a call that has been answered.
func (d *desk) release(t tag) {
	d.mu.Lock()
	p := d.running[t.seq]
	delete(d.running, t.seq)
	d.mu.Unlock()
	if p != nil {
		_ = p.Close() // closing a pipe cannot fail
	}
	d.taken.Done()
}

// batch is an array of requests whose answers go out as one array.
//
// https://modelcontextprotocol.io/specification/2025-03-26/basic/index#batches
type batch struct {
	waiting int
	answers [][]byte
}

// takeBatch serves a batch of 2025-03-26.
func (d *desk) takeBatch(members []wire.Message) {
	b := &batch{waiting: 1} // this function itself
	for _, m := range members {
		flt := d.judge.legacy(m)
		if flt == nil && m.Kind != wire.KindRequest {
			d.takeSilent(m)
			continue
		}
		t := tag{}
		if flt == nil {
			t, flt = d.calls.begin(m)
		}
		if flt != nil {
			d.add(b, flt.encode(m.ID, rev2025a))
			continue
		}
		d.join(b, m, t)
	}
	d.collect(b, nil)
}

// join adds a request to the batch and gives it to the SDK.
func (d *desk) join(b *batch, m wire.Message, t tag) {
	d.taken.Add(1)
	d.mu.Lock()
	d.batches[t.seq] = b
	b.waiting++
	d.mu.Unlock()
	d.session().send(d.judge.inbound(m, t))
}

func (d *desk) add(b *batch, answer []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.answers = append(b.answers, answer)
}

// batchOf takes the call off its batch; nil when it is of none.
func (d *desk) batchOf(t tag) *batch {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.batches[t.seq]
	delete(d.batches, t.seq)
	return b
}

// collect adds an answer, nil where there is none to give, and sends the answers
// off once they are complete.
func (d *desk) collect(b *batch, answer []byte) {
	d.mu.Lock()
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	b.waiting--
	complete := b.waiting == 0 && len(b.answers) > 0
	d.mu.Unlock()
	if complete {
		d.say(rawjson.Array(b.answers))
	}
}
