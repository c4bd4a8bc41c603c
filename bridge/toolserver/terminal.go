package toolserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// Terminal asks on the terminal that the server was started from. It opens the terminal
// itself, so the protocol's stdin and stdout are not touched, and fails with ErrCannotAsk
// where there is none. Questions are put one at a time.
//
// A call is allowed by typing the number that the question names, which changes: what
// was typed before the question came, or for another, allows nothing.
func Terminal() Confirm { return terminal(openTerminal, func() int { return 1000 + rand.IntN(9000) }) } //nolint:gosec // it guards against slips, not against an attacker

func terminal(open func() (io.ReadWriteCloser, error), number func() int) Confirm {
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, ask Ask) (bool, error) {
		if len(ask.Arguments) > mostShown {
			return false, errTooLongToShow
		}
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
		tty, err := open()
		if err != nil {
			return false, fmt.Errorf("%w: opening the terminal: %w", ErrCannotAsk, err)
		}
		defer func() { _ = tty.Close() }() // there is nothing left to write
		return prompt(ctx, tty, ask, number())
	}
}

// prompt puts the question and reads one line.
func prompt(ctx context.Context, tty io.ReadWriter, ask Ask, number int) (bool, error) {
	who := ""
	if ask.Caller != "" {
		who = printable(ask.Caller) + " asks. "
	}
	if _, err := fmt.Fprintf(tty, "\r\n%s%s\r\nType %d to allow it, anything else to deny it: ", who, ask.Question(), number); err != nil {
		return false, fmt.Errorf("writing to the terminal: %w", err)
	}
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := bufio.NewReader(io.LimitReader(tty, 4096)).ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return false, fmt.Errorf("reading from the terminal: %w", l.err)
		}
		return strings.TrimSpace(l.text) == fmt.Sprint(number), nil
	case <-ctx.Done():
		_, _ = io.WriteString(tty, "\r\nToo late: it was denied.\r\n") // best effort
		return false, context.Cause(ctx)
	}
}
