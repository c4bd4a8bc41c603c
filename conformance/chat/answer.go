package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// answer is one HTTP answer, read to its end.
type answer struct {
	status int
	header http.Header
	body   json.RawMessage // of what is no stream
	events []string        // the data of each event of a stream
	cut    error           // why it is not whole; nil for one that ended
	frames []wire.Frame    // by which it travelled
}

// at walks into the body; a number is a place in a list. It is nil where nothing is.
func (a answer) at(path ...string) json.RawMessage { return at(a.body, path...) }

func (a answer) text(path ...string) string {
	s, _ := wire.Text(a.at(path...))
	return s
}

func at(raw json.RawMessage, path ...string) json.RawMessage {
	if !json.Valid(raw) {
		return nil
	}
	for _, step := range path {
		raw = inside(raw, step)
	}
	return raw
}

func inside(raw json.RawMessage, step string) json.RawMessage {
	place, err := strconv.Atoi(step)
	if err != nil {
		return wire.Get(raw, step)
	}
	list := elements(raw)
	if place >= len(list) {
		return nil
	}
	return list[place]
}

// elements lists what stands in a list; nil for what is none.
func elements(raw json.RawMessage) []json.RawMessage {
	if kind(raw) != "array" {
		return nil
	}
	list := []json.RawMessage{}
	wire.EachElement(raw, func(v json.RawMessage) bool {
		list = append(list, v)
		return true
	})
	return list
}

// kind names the JSON type of a value; integer for a number without fraction or
// exponent, and "nothing" where there is none.
func kind(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '{':
		return "object"
	case raw[0] == '[':
		return "array"
	case raw[0] == '"':
		return "string"
	case raw[0] == 'n':
		return "null"
	case raw[0] == 't', raw[0] == 'f':
		return "boolean"
	case bytes.ContainsAny(raw, ".eE"):
		return "number"
	}
	return "integer"
}

// exchange makes one exchange and reads all of the answer.
func (t *Target) exchange(ctx context.Context, r transport.HTTPRequest) (answer, error) {
	from := t.transcript.Len()
	resp, err := t.http.Do(ctx, r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	stop := context.AfterFunc(ctx, func() { resp.Cut(context.Cause(ctx)) })
	defer stop()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if transport.MediaType(resp.Header) == eventStream {
		a.events, a.cut = readEvents(resp.Body)
	} else {
		a.body, a.cut = transport.ReadBody(resp.Body, t.config.Options.Limit)
	}
	for _, f := range t.transcript.Frames(from) {
		if f.Exchange == resp.Exchange {
			a.frames = append(a.frames, f)
		}
	}
	return a, nil
}

const eventStream = "text/event-stream"

func readEvents(body io.Reader) (data []string, cut error) {
	reader := wire.NewEventReader(body, 0)
	for {
		event, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if event.Dispatched {
			data = append(data, string(event.Data))
		}
	}
}
