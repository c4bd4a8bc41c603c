package stdio

import (
	"bytes"

	"github.com/peerwright/peerwright/internal/wire"
)

// splitter makes the frames of one lane: a frame for each whole line, and chunks for
// what is not one. The Data of its frames, joined, are the bytes that passed.
type splitter struct {
	tap  wire.Tap
	dir  wire.Direction
	kind wire.FrameKind

	partial []byte
	cut     bool // the beginning of this line is missing, or was shown already
	over    bool // the lane has ended
}

func (s *splitter) take(p piece) {
	if s.over {
		return
	}
	if p.lost > 0 {
		s.flush(wire.FrameChunk, "")
		s.see(wire.FrameChunk, nil, leftOut(p.lost))
		s.cut = true
	}
	s.split(p.data)
	if p.end {
		s.over = true
		s.finish(p.note)
	}
}

func (s *splitter) split(data []byte) {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			s.hold(data)
			return
		}
		line := data[:end:end]
		if len(s.partial) > 0 {
			line = append(s.partial, line...)
			s.partial = nil
		}
		s.line(line)
		data = data[end:]
	}
}

// line shows a line that has ended.
func (s *splitter) line(line []byte) {
	if s.cut && s.kind == wire.FrameMessage {
		s.see(wire.FrameChunk, line, "end of a line that is not whole")
	} else {
		s.see(s.kind, line, "")
	}
	s.cut = false
}

// hold keeps the beginning of a line, and shows it in pieces when it gets too long.
func (s *splitter) hold(data []byte) {
	s.partial = append(s.partial, data...)
	switch {
	case s.kind == wire.FrameStderr && len(s.partial) >= stderrLine:
		s.flush(s.kind, "")
	case len(s.partial) >= wire.DefaultLimit:
		s.flush(wire.FrameChunk, "piece of a line that is too long to be kept whole")
		s.cut = true
	}
}

func (s *splitter) flush(kind wire.FrameKind, note string) {
	if len(s.partial) > 0 {
		s.see(kind, s.partial, note)
	}
	s.partial = nil
}

// finish shows what is left when the lane ends, and for messages the end itself.
func (s *splitter) finish(note string) {
	kind := s.kind
	if s.cut && kind == wire.FrameMessage {
		kind = wire.FrameChunk
	}
	s.flush(kind, "no newline at its end")
	if s.kind == wire.FrameMessage {
		s.see(wire.FrameClose, nil, note)
	}
}

func (s *splitter) see(kind wire.FrameKind, data []byte, note string) {
	s.tap.See(wire.Frame{Dir: s.dir, Kind: kind, Data: data, Note: note})
}
