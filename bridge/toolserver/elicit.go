package toolserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// Elicit asks the person at the client, through MCP elicitation. Where the client cannot
// ask, it fails with ErrCannotAsk; see FirstOf.
//
// In the revisions that open with initialize the call waits for the answer. In 2026-07-28
// it is answered with the question, and the client calls again with the answer and with a
// state that this server has signed: for one call of that tool, with those arguments, and
// once.
//
// The answer is the client's word: whoever writes the client can give it without asking
// anybody. A client that is not trusted with that needs another hook.
//
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
func Elicit() Confirm {
	return func(ctx context.Context, ask Ask) (bool, error) {
		if ask.User == nil {
			return false, ErrCannotAsk
		}
		if len(ask.Arguments) > mostShown {
			return false, errTooLongToShow
		}
		return ask.User.Confirm(ctx, ask.Question())
	}
}

// mostShown is the size in bytes of arguments that a person can be shown. What cannot be
// seen is not confirmed.
const mostShown = 16 << 10

var errTooLongToShow = errors.New("its arguments are too long to be shown to anybody")

// pendingAnswer says that the client's user must be asked, and the call made again.
type pendingAnswer struct{ question, state string } //nolint:errname // it is an answer to come, passed on as an error

func (p *pendingAnswer) Error() string { return "its user must answer first" }

func isPending(err error) bool {
	var p *pendingAnswer
	return errors.As(err, &p)
}

// statePrefix names what is signed, and its version.
const statePrefix = "pwq1."

// question is what the client carries to the answer and back.
type question struct {
	Call    string    `json:"call"` // digest of caller, tool and arguments
	Nonce   string    `json:"nonce"`
	Expires time.Time `json:"expires"`
}

// digestOf binds a question to one call.
func digestOf(caller, tool string, args json.RawMessage) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(caller), []byte(tool), args} {
		sum := sha256.Sum256(part)
		_, _ = h.Write(sum[:]) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}

// newState signs a question about the call.
func (s *Server) newState(caller, tool string, args json.RawMessage) string {
	raw, _ := json.Marshal(question{ // strings and a time always marshal
		digestOf(caller, tool, args), rand.Text(), s.opts.Now().Add(s.opts.ConfirmTimeout),
	})
	return s.state.Seal(statePrefix, raw)
}

// checkState fails when the state is not of a question about this very call that is
// still open. It closes the question.
func (s *Server) checkState(state, caller, tool string, args json.RawMessage) error {
	raw, err := s.state.Open(statePrefix, state)
	if err != nil {
		return errors.New("the answer belongs to no question of this server")
	}
	var q question
	if err := json.Unmarshal(raw, &q); err != nil {
		return errors.New("the answer belongs to no question of this server")
	}
	switch now := s.opts.Now(); {
	case q.Call != digestOf(caller, tool, args):
		return errors.New("the answer belongs to another call")
	case now.After(q.Expires):
		return errors.New("the answer came too late")
	case !s.spent.first(q.Nonce, q.Expires, now):
		return errors.New("the answer was used before")
	}
	return nil
}

// spent remembers questions that were answered, until they expire. The zero value is
// ready to use.
type spent struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// first tells whether the question was not answered before, and notes that it is.
func (s *spent) first(nonce string, expires, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until == nil {
		s.until = map[string]time.Time{}
	}
	for other, end := range s.until {
		if now.After(end) {
			delete(s.until, other)
		}
	}
	if _, used := s.until[nonce]; used {
		return false
	}
	s.until[nonce] = expires
	return true
}

// secret returns a random secret of this process.
func secret() []byte {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return b
}
