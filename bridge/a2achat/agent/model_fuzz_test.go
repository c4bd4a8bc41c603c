package agent

import (
	"slices"
	"strings"
	"testing"
)

// teller says a text as an agent may: in whatever pieces, each once or more often, with
// snapshots of the task between.
type teller struct {
	t     *testing.T
	model *model
	texts [][]byte // of the artifacts
	sent  []int    // how much of each
	at    int      // the artifact that is being sent
	flags bool     // the agent says what is the last chunk, and sends artifacts at once
}

func (s *teller) id(i int) string { return string(rune('a' + i)) }

func (s *teller) apply(e event) {
	s.t.Helper()
	if err := s.model.apply(e); err != nil {
		s.t.Fatal(err)
	}
}

func (s *teller) piece(i, from, to int, appends bool) {
	c := chunk{id: s.id(i), parts: content{{text: s.texts[i][from:to]}}, append: appends}
	if s.flags {
		c.more = to < len(s.texts[i])
	}
	s.apply(event{taskID: "t", artifact: &c})
}

// snapshot is the task as it was when so much less had been sent.
func (s *teller) snapshot(state State, less int) {
	var all []chunk
	for i, sent := range s.sent {
		if sent = max(0, sent-less); sent > 0 {
			all = append(all, chunk{id: s.id(i), parts: content{{text: s.texts[i][:sent]}}})
		}
	}
	s.apply(event{taskID: "t", task: &task{status: status{state: state}, artifacts: all}})
}

func (s *teller) step(op, n int) {
	i := s.at
	from, to := s.sent[i], min(len(s.texts[i]), s.sent[i]+n)
	switch op {
	case 0, 1, 2:
		s.piece(i, from, to, true)
		s.sent[i] = to
	case 3: // the whole so far
		s.piece(i, 0, to, false)
		s.sent[i] = to
	case 4:
		s.snapshot(Working, 0)
	case 5:
		s.snapshot(Working, n)
	case 6: // all over again
		if from > 0 {
			middle := min(n, from)
			s.piece(i, 0, middle, false)
			s.piece(i, middle, from, true)
		}
	case 7:
		s.apply(event{taskID: "t", status: &status{state: Working, message: &said{key: "n", parts: content{{text: []byte("note")}}}}})
	}
	if s.sent[i] == len(s.texts[i]) || s.flags && op == 2 {
		s.next()
	}
}

// next turns to an artifact that is not complete: to the next one, or to any where the
// agent sends several at once.
func (s *teller) next() {
	for range s.texts {
		s.at = (s.at + 1) % len(s.texts)
		if s.sent[s.at] < len(s.texts[s.at]) {
			return
		}
	}
}

func (s *teller) done() bool {
	for i := range s.texts {
		if s.sent[i] < len(s.texts[i]) {
			return false
		}
	}
	return true
}

// FuzzModel: however an answer is split into events, what is told is the answer.
func FuzzModel(f *testing.F) {
	f.Add("Hello, 👩‍🍳 world!|second\r\nartifact", []byte{0x10, 0x33, 0x45, 0x52, 0x61, 0x27}, false, true)
	f.Add("one|two|three", []byte{0x10, 0x21, 0x10, 0x21}, true, false)
	f.Add("aaaa|aaaa", []byte{0x61, 0x62, 0x31, 0x11, 0x61}, false, false)
	f.Fuzz(func(t *testing.T, answer string, ops []byte, flags, snapshot bool) {
		if len(answer) > 4096 || len(ops) > 512 {
			return // each step may cost as much as the answer is long
		}
		var texts [][]byte
		for text := range strings.SplitSeq(strings.ToValidUTF8(answer, "?"), "|") {
			if text != "" && len(texts) < 20 {
				texts = append(texts, []byte(text))
			}
		}
		if len(texts) == 0 {
			return
		}
		var h heard
		s := &teller{t: t, texts: texts, sent: make([]int, len(texts)), flags: flags}
		s.model = newModel(func(u Update) error { h.updates = append(h.updates, u); return nil })
		for _, op := range ops {
			if s.done() {
				break
			}
			s.step(int(op>>4)%8, int(op&15)+1)
		}
		for !s.done() {
			s.step(0, 3)
		}
		if snapshot {
			s.snapshot(Completed, 0)
		} else {
			s.apply(event{taskID: "t", status: &status{state: Completed}})
		}
		if err := s.model.finish(); err != nil {
			t.Fatal(err)
		}
		want := make([]string, 0, len(texts))
		for _, b := range s.model.outcome().Answer { // in the order in which they began
			want = append(want, string(texts[b.ArtifactID[0]-'a']))
		}
		if len(want) != len(texts) {
			t.Fatalf("%d artifacts of %d", len(want), len(texts))
		}
		h.outcome = s.model.outcome()
		if got := strings.Join(want, "\n\n"); h.text() != got || h.answer() != got {
			t.Errorf("told %q, answer %q, want %q", h.text(), h.answer(), got)
		}
		if slices.ContainsFunc(h.updates, func(u Update) bool { return u.Kind == Replaced }) {
			t.Error("something that only grew was replaced")
		}
	})
}

// FuzzReadEvent: whatever an agent sends, reading it neither panics nor loses a text.
func FuzzReadEvent(f *testing.F) {
	for _, d := range dialects() {
		for _, s := range shapes() {
			for _, e := range s.events(d) {
				r := request{d: dialect{d.version, "none"}}
				f.Add(r.frame(e), d.proto())
			}
		}
	}
	f.Add([]byte(`{"kind":"task","id":"x","status":null,"artifacts":[{"parts":[null,1,{}]}]}`), false)
	f.Fuzz(func(t *testing.T, raw []byte, proto bool) {
		e, err := readEvent(raw, proto)
		if err != nil {
			return
		}
		m := newModel(func(Update) error { return nil })
		if err := m.apply(e); err != nil {
			t.Fatal(err)
		}
		if err := m.finish(); err != nil {
			t.Fatal(err)
		}
	})
}
