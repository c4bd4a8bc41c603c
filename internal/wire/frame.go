package wire

import (
	"net/http"
	"time"
)

// Direction says which way a frame travelled.
type Direction string

// The directions of a frame.
const (
	Out Direction = "out" // towards the peer
	In  Direction = "in"  // from the peer
)

// FrameKind says what a frame is.
type FrameKind string

// The kinds of frame.
const (
	FrameRequest  FrameKind = "request"  // head of an HTTP request: Method, URL, Header
	FrameResponse FrameKind = "response" // head of an HTTP response: Status, Header
	FrameMessage  FrameKind = "message"  // one line of stdio (Data with its terminator) or one WebSocket message
	FrameBody     FrameKind = "body"     // a whole HTTP body
	FrameEvent    FrameKind = "event"    // one block of a server-sent event stream, Data its raw bytes
	FrameChunk    FrameKind = "chunk"    // part of a body that is neither whole nor an event
	FrameClose    FrameKind = "close"    // the end of a body, a connection or a process; Note says how
	FrameStderr   FrameKind = "stderr"   // one line of the peer's stderr
)

// Frame is one thing seen on the wire. The frames of one direction and exchange,
// joined by their Data, are the bytes that travelled.
type Frame struct {
	Seq      int           // position in the transcript, from 1; stamped by Transcript
	At       time.Duration // since the transcript began; stamped by Transcript
	Dir      Direction
	Kind     FrameKind
	Exchange int         // number of the HTTP exchange, from 1; 0 where the transport has one stream
	Method   string      // of a request head
	URL      string      // of a request head
	Status   int         // of a response head
	Header   http.Header // of a head
	Event    *Event      // the decoded view of an event
	Data     []byte
	Note     string
}

// Tap is told each frame as it passes. It must not change the frame's Data, must
// not keep the caller waiting, and may be called by several goroutines at once.
type Tap func(Frame)

// See calls the tap where there is one.
func (t Tap) See(f Frame) {
	if t != nil {
		t(f)
	}
}

// Payload returns the JSON-RPC bytes that the frame carries: the line without its
// terminator, the body, the data of the event; nil for a frame that carries none.
func (f Frame) Payload() []byte {
	switch f.Kind {
	case FrameMessage:
		return Line{Raw: f.Data}.Content()
	case FrameBody:
		return f.Data
	case FrameEvent:
		if f.Event != nil && f.Event.Dispatched {
			return f.Event.Data
		}
	case FrameRequest, FrameResponse, FrameChunk, FrameClose, FrameStderr:
	}
	return nil
}
