package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
)

// fill puts the values of this run into a frame of the client, in place of those of
// the recording. It says what is missing; "" when nothing is.
func (p *play) fill(f *fixtures.Frame) string {
	for _, u := range p.script.uses[f.Seq] {
		if !p.takesPlace(u.at) {
			continue
		}
		value, known := p.values[u.Name]
		if !known {
			return fmt.Sprintf("the peer gave no %s (%s) at %s of the answer that frame %d of the fixture is part of",
				u.Kind, u.Name, u.From.At, u.From.Frame)
		}
		filled, err := fixtures.SetAt(*f, u.at, value)
		if err != nil {
			return err.Error()
		}
		*f = filled
	}
	return p.renew(f)
}

// takesPlace tells whether the value at the place is the script's affair: sessions and
// event ids are the transport's.
func (p *play) takesPlace(at string) bool {
	return strings.HasPrefix(at, "/") || p.script.Protocol() == fixtures.A2A && !strings.HasPrefix(at, "header:")
}

// renew makes up new ids of messages and contexts that the client chose: an agent may
// know those of the recording.
func (p *play) renew(f *fixtures.Frame) string {
	if p.script.Protocol() != fixtures.A2A {
		return ""
	}
	for _, v := range fixtures.Values(*f, fixtures.A2A) {
		if v.Kind != fixtures.KindMessage && v.Kind != fixtures.KindContext || p.isBound(f.Seq, v.At) {
			continue
		}
		if _, made := p.own[string(v.JSON)]; !made {
			p.own[string(v.JSON)] = quote(p.fresh())
		}
		filled, err := fixtures.SetAt(*f, v.At, p.own[string(v.JSON)])
		if err != nil {
			return err.Error()
		}
		*f = filled
	}
	return ""
}

func (p *play) isBound(frame int, at string) bool {
	return slices.ContainsFunc(p.script.uses[frame], func(u use) bool { return u.at == at })
}

// sent remembers the values that were sent and are referred to later.
func (p *play) sent(frames ...fixtures.Frame) {
	for _, f := range frames {
		for _, b := range p.script.from[f.Seq] {
			p.keep(b, f)
		}
	}
}

func (p *play) keep(b fixtures.Binding, f fixtures.Frame) bool {
	value, ok := fixtures.ValueAt(f, b.From.At)
	if ok {
		p.values[b.Name] = value
	}
	return ok
}

// learn takes the values that are bound out of the live answer.
func (p *play) learn(st *step, a answer) {
	numbers := []int{st.AnswerAt}
	for _, f := range st.In {
		numbers = append(numbers, f.Seq)
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		for _, b := range p.script.from[n] {
			for _, f := range p.candidates(st, b, a) {
				if p.keep(b, f) {
					break
				}
			}
		}
	}
}

// candidates returns what of the live answer may hold the value, the likeliest first:
// what stands at the same position among the messages, then the others.
func (p *play) candidates(st *step, b fixtures.Binding, a answer) []fixtures.Frame {
	from := p.script.frames[b.From.Frame]
	if from.Kind == wire.FrameResponse {
		return []fixtures.Frame{{Kind: wire.FrameResponse, Header: a.header}}
	}
	var all []fixtures.Frame
	for _, payload := range a.payloads {
		all = append(all, message(payload))
	}
	at := 0
	for _, f := range st.In {
		if f.Seq < from.Seq && len(f.Payload()) > 0 {
			at++
		}
	}
	if at < len(all) {
		all = append([]fixtures.Frame{all[at]}, all...)
	}
	for _, n := range a.notes {
		all = append(all, message(n.Raw))
	}
	return all
}

func message(payload json.RawMessage) fixtures.Frame {
	return fixtures.Frame{Dir: wire.In, Kind: wire.FrameBody, Data: payload}
}
