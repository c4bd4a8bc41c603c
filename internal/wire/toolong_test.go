package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// The call that a message over the limit answers is known where its id stands whole in what
// is kept, and else not guessed.
func TestTheIDOfWhatWasTooLong(t *testing.T) {
	filler := strings.Repeat("x", 5000)
	for name, c := range map[string]struct{ line, id string }{
		"at the beginning":            {`{"jsonrpc":"2.0","id":7,"result":{"text":"` + filler + `"}}`, "7"},
		"a string":                    {`{"id":"a\"b","result":"` + filler + `"}`, `"a\"b"`},
		"at the end":                  {`{"jsonrpc":"2.0","result":{"text":"` + filler + `"},"id": 7 }`, "7"},
		"inside the result":           {`{"jsonrpc":"2.0","result":{"text":"` + filler + `","id":7}}`, ""},
		"inside a list":               {`{"jsonrpc":"2.0","result":["` + filler + `",{"id":7}]}`, ""},
		"of a request":                {`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":"` + filler + `"}`, ""},
		"nowhere":                     {`{"jsonrpc":"2.0","result":"` + filler + `"}`, ""},
		"what is no JSON":             {filler + `"id":7}`, ""},
		"cut in the middle of the id": {`{"result":"` + filler + `","id":"` + filler + `"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.NewLineReader(strings.NewReader(c.line+"\n"), 2000).Next()
			var long *wire.TooLongError
			if !errors.As(err, &long) || long.ID().String() != c.id {
				t.Errorf("id %q of %v", long.ID(), err)
			}
		})
	}
}

func TestTheIDOfAnEventThatWasTooLong(t *testing.T) {
	stream := "event: message\nid: 3\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"" + strings.Repeat("x", 5000) + "\"}\n\n"
	_, err := wire.NewEventReader(strings.NewReader(stream), 2000).Next()
	var long *wire.TooLongError
	if !errors.As(err, &long) || long.ID() != wire.IntID(7) {
		t.Errorf("%v", err)
	}
}
