package conformance

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/onsi/gomega"

	"github.com/peerwright/peerwright/internal/transport"
)

// Check is the judge's hand in a case. Its assertions end the case when they do
// not hold. The embedded Gomega is there for what That does not say well; what it
// finds stands in the report as it words it.
type Check struct {
	gomega.Gomega
	ends    Ends
	finding Finding
}

// Finding is what a case came to, for the report.
type Finding struct {
	Expected, Actual string
	// Unverified says why the rule could not be exercised; "" when it was.
	Unverified string
	// Broken says what kept the suite from judging: the peer could not be reached,
	// or the suite itself failed; "" when nothing did.
	Broken string
}

// Ends are the ways in which a case ends early. None of them returns: a test
// runner unwinds the goroutine.
type Ends struct {
	Fail func(message string, callerSkip ...int)
	Skip func(reason string)
}

// NewCheck returns a Check that ends its case by the given ways.
func NewCheck(ends Ends) *Check {
	c := &Check{ends: ends}
	c.Gomega = gomega.NewGomega(func(message string, skip ...int) {
		c.finding.Actual = message
		ends.Fail(message, skip...)
	})
	return c
}

// Finding returns what was found so far.
func (c *Check) Finding() Finding { return c.finding }

// That ends the case as failed unless ok. expected completes "expected: …"; actual
// is a format for what was seen instead.
func (c *Check) That(ok bool, expected, actual string, args ...any) {
	if ok {
		return
	}
	c.finding.Expected, c.finding.Actual = expected, fmt.Sprintf(actual, args...)
	c.ends.Fail("expected "+c.finding.Expected+"; got "+c.finding.Actual, 1)
}

// Answered ends the case unless err is nil: as errored when the peer could not be
// reached at all, as TurnedAway says when it did not look at what was sent, and as
// failed when it was reached and gave no answer.
func (c *Check) Answered(err error, to string) {
	if err == nil {
		return
	}
	if errors.Is(err, transport.ErrUnreachable) {
		c.Broken("%s: %v", to, err)
	}
	var refused interface{ HTTPStatus() int }
	if errors.As(err, &refused) {
		c.TurnedAway(refused.HTTPStatus(), to)
	}
	c.That(false, "an answer to "+to, "%v", err)
}

// TurnedAway ends the case when the HTTP status says that the request was not looked
// at, so that the peer had no chance to keep or break a rule: as not-verified when it
// is for who sent it, as errored when there are too many or nobody is there.
func (c *Check) TurnedAway(status int, to string) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		c.NotVerified("the peer wants credentials, or others, for %s: HTTP status %d", to, status)
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		c.Broken("the peer, or what stands before it, could not take %s now: HTTP status %d; try again later", to, status)
	}
}

// NotVerified ends the case as not-verified: the peer gave the suite nothing by
// which the rule could be judged.
func (c *Check) NotVerified(format string, args ...any) {
	c.finding.Unverified = fmt.Sprintf(format, args...)
	c.ends.Skip(c.finding.Unverified)
}

// Broken ends the case as errored: this is no fault of the peer's.
func (c *Check) Broken(format string, args ...any) {
	c.finding.Broken = fmt.Sprintf(format, args...)
	c.ends.Fail(c.finding.Broken, 1)
}
