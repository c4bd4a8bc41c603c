package mcp

import (
	"fmt"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
)

// trace makes a conversation on a stream: > what the suite sends, < what comes.
func trace(lines ...string) conformance.Trace {
	var t conformance.Trace
	for i, line := range lines {
		dir := wire.Out
		if line[0] == '<' {
			dir = wire.In
		}
		t.Frames = append(t.Frames, wire.Frame{Seq: i + 1, Dir: dir, Kind: wire.FrameMessage, Data: []byte(line[1:] + "\n")})
	}
	return t
}

func ask(id string) string    { return fmt.Sprintf(`>{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id) }
func answer(id string) string { return fmt.Sprintf(`<{"jsonrpc":"2.0","id":%s,"result":{}}`, id) }

func TestAnswersArePairedWithTheirRequests(t *testing.T) {
	for name, c := range map[string]struct {
		trace   conformance.Trace
		twice   int // violations of one-answer
		unknown int // and of answers-known-ids
	}{
		"one each":                     {trace(ask("1"), answer("1"), ask("2"), answer("2")), 0, 0},
		"two answers":                  {trace(ask("1"), answer("1"), answer("1")), 1, 0},
		"an id used again":             {trace(ask("1"), answer("1"), ask("1"), answer("1")), 0, 0},
		"an id used twice at once":     {trace(ask("1"), ask("1"), answer("1"), answer("1")), 0, 0},
		"three answers to two":         {trace(ask("1"), ask("1"), answer("1"), answer("1"), answer("1")), 1, 0},
		"an id of another type":        {trace(ask("1"), answer(`"1"`)), 0, 1},
		"an answer before its request": {trace(answer("1"), ask("1")), 0, 1},
		"an id that a float64 rounds":  {trace(ask("9007199254740993"), answer("9007199254740992")), 0, 0},
		"no id":                        {trace(ask("1"), `<{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`), 0, 0},
		"nothing":                      {trace(ask("1")), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := len(answeredOnce().Judge(c.trace).Violations); got != c.twice {
				t.Errorf("%d requests were answered twice, not %d", got, c.twice)
			}
			if got := len(answersKnownIDs().Judge(c.trace).Violations); got != c.unknown {
				t.Errorf("%d answers to no request, not %d", got, c.unknown)
			}
		})
	}
}

// An answer on the exchange of one request is not taken for that of another.
func TestAnswersStayOnTheirExchange(t *testing.T) {
	for name, c := range map[string]struct {
		exchanges      []int // of each line
		twice, unknown int
	}{
		"each on its own":        {[]int{1, 1, 2, 2}, 0, 0},
		"on that of another":     {[]int{1, 1, 2, 1}, 0, 1},
		"on a stream of its own": {[]int{1, 1, 2, 3}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			traced := trace(ask("1"), answer("1"), ask("2"), answer("2"))
			for i, exchange := range c.exchanges {
				traced.Frames[i].Exchange = exchange
			}
			if got := len(answeredOnce().Judge(traced).Violations); got != c.twice {
				t.Errorf("%d requests were answered twice, not %d", got, c.twice)
			}
			if got := len(answersKnownIDs().Judge(traced).Violations); got != c.unknown {
				t.Errorf("%d answers to no request, not %d", got, c.unknown)
			}
		})
	}
}

func progress(token, value string) string {
	return fmt.Sprintf(`<{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%s}}`, token, value)
}

func TestProgressMonitors(t *testing.T) {
	call := `>{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"t"}}}`
	for name, c := range map[string]struct {
		trace                  conformance.Trace
		increases, asked, stop int
	}{
		"in order":                {trace(call, progress(`"t"`, "1"), progress(`"t"`, "2.5"), answer("1")), 0, 0, 0},
		"standing still":          {trace(call, progress(`"t"`, "1"), progress(`"t"`, "1"), answer("1")), 1, 0, 0},
		"going back":              {trace(call, progress(`"t"`, "0.2"), progress(`"t"`, "0.1"), answer("1")), 1, 0, 0},
		"no number":               {trace(call, progress(`"t"`, "1"), progress(`"t"`, `"2"`), answer("1")), 1, 0, 0},
		"a foreign token":         {trace(call, progress(`"u"`, "1"), answer("1")), 0, 1, 0},
		"a token of another type": {trace(call, progress(`1`, "1"), answer("1")), 0, 1, 0},
		"a token given again":     {trace(call, progress(`"t"`, "5"), answer("1"), call, progress(`"t"`, "1"), answer("1")), 0, 0, 0},
		"after the answer":        {trace(call, answer("1"), progress(`"t"`, "1")), 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := [3]int{
				len(progressIncreases().Judge(c.trace).Violations), len(progressOnlyAsked().Judge(c.trace).Violations),
				len(progressStops().Judge(c.trace).Violations),
			}
			if want := [3]int{c.increases, c.asked, c.stop}; got != want {
				t.Errorf("violations of increases, only-asked, stops: %v, not %v", got, want)
			}
		})
	}
}
