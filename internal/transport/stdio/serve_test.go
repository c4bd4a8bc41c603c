//go:build unix

package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// echoing answers each request with its own params.
func echoing(ctx context.Context, l transport.Link) error {
	for {
		in, err := l.Receive(ctx)
		if err != nil {
			return err
		}
		if in.Kind == wire.KindRequest {
			if err := l.Send(ctx, transport.Answer{Raw: wire.Result(in.ID, in.Params)}); err != nil {
				return err
			}
		}
	}
}

// served dials a handler inside this process.
func served(t *testing.T, h transport.Handler, server, client transport.Options) *Conn {
	t.Helper()
	c := DialPipe(limited(t), func(ctx context.Context, r io.Reader, w io.Writer) error {
		return Serve(ctx, r, w, h, server)
	}, client)
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestServeStream(t *testing.T) {
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}`, "", "no JSON\r",
		`{"jsonrpc":"2.0","id":"1","method":"x","params":{}}`, // no newline at its end
	}, "\n")
	var out strings.Builder
	var tap frames
	if err := Serve(limited(t), strings.NewReader(in), &out, echoing, transport.Options{Tap: tap.see}); err != nil {
		t.Fatal(err)
	}
	want := `{"jsonrpc":"2.0","id":1,"result":[1]}` + "\n" + `{"jsonrpc":"2.0","id":"1","result":{}}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(in, tap.data(wire.Out, wire.FrameMessage)); diff != "" {
		t.Errorf("the tap saw of the client: %s", diff)
	}
	if diff := cmp.Diff(want, tap.data(wire.In, wire.FrameMessage)); diff != "" {
		t.Errorf("the tap saw of the server: %s", diff)
	}
	for _, dir := range []wire.Direction{wire.In, wire.Out} {
		if got := tap.of(dir, wire.FrameClose); len(got) != 1 {
			t.Errorf("ends %s: %v", dir, got)
		}
	}
}

func TestBothEndsSeeTheSame(t *testing.T) {
	var near, far frames
	c := served(t, echoing, transport.Options{Tap: far.see}, transport.Options{Tap: near.see})
	for n := range 100 {
		send(t, c, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x","params":[%q]}`, n, strings.Repeat("é", n*100)))
		if in := receive(t, c); in.ID != wire.IntID(int64(n)) {
			t.Errorf("answer %d is %s", n, in.ID)
		}
	}
	if err := c.Close(limited(t)); err != nil {
		t.Fatal(err)
	}
	if want := (ExitInfo{Rung: RungStdin, State: State{Ended: true}}); c.Exit() != want {
		t.Errorf("exit = %+v", c.Exit())
	}
	for _, dir := range []wire.Direction{wire.In, wire.Out} {
		if diff := cmp.Diff(near.data(dir, wire.FrameMessage), far.data(dir, wire.FrameMessage)); diff != "" {
			t.Errorf("%s: %s", dir, diff)
		}
	}
}

func TestServeAnswersAllThoughTheHandlerReturns(t *testing.T) {
	lazy := func(ctx context.Context, l transport.Link) error {
		_, err := l.Receive(ctx)
		return err
	}
	c := served(t, lazy, transport.Options{}, transport.Options{})
	send(t, c, `{"jsonrpc":"2.0","id":1.0,"method":"x"}`)
	if in := receive(t, c); in.ID.String() != "1.0" || in.Error == nil || in.Error.Code != -32603 {
		t.Errorf("received %s", in.Raw)
	}
	var exit *ExitError
	if _, err := c.Receive(limited(t)); !errors.As(err, &exit) || exit.State.Code != 0 {
		t.Errorf("then %v", err)
	}
}

func TestServeRefusesALineOverTheLimitAndGoesOn(t *testing.T) {
	c := served(t, func(ctx context.Context, l transport.Link) error {
		in, err := l.Receive(ctx)
		var long *wire.TooLongError
		if !errors.As(in.Err, &long) {
			return fmt.Errorf("received %+v, %w", in, err)
		}
		return echoing(ctx, l)
	}, transport.Options{Limit: 100}, transport.Options{})
	send(t, c, strings.Repeat(" ", 1000))
	send(t, c, `{"jsonrpc":"2.0","id":1,"method":"x","params":[]}`)
	if in := receive(t, c); in.Kind != wire.KindResult {
		t.Errorf("received %s", in.Raw)
	}
}

func TestPipeTellsWhyTheServerEnded(t *testing.T) {
	broken := errors.New("no database")
	c := DialPipe(limited(t), func(context.Context, io.Reader, io.Writer) error { return broken }, transport.Options{})
	_, err := c.Receive(limited(t))
	var exit *ExitError
	if !errors.Is(err, transport.ErrClosed) || !errors.Is(err, broken) || !errors.As(err, &exit) || exit.State.Code != 1 {
		t.Errorf("Receive: %v", err)
	}
	if err := c.Close(limited(t)); err != nil {
		t.Error(err)
	}
}

func TestPipeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(limited(t))
	wait := func(ctx context.Context, _ io.Reader, _ io.Writer) error {
		<-ctx.Done()
		return nil
	}
	c := DialPipe(ctx, wait, transport.Options{})
	cancel()
	<-c.done
	if got := c.Exit(); got.Rung != RungSelf {
		t.Errorf("exit = %+v", got)
	}
	c = DialPipe(limited(t), wait, transport.Options{})
	if err := c.Close(ctx); err != nil || c.Exit().Rung != RungTerm {
		t.Errorf("exit = %+v, %v", c.Exit(), err)
	}
}

func TestPipeIsClosedUnderABlockedServer(t *testing.T) {
	hurried, hurry := context.WithCancel(t.Context())
	hurry()
	c := DialPipe(limited(t), func(_ context.Context, r io.Reader, _ io.Writer) error {
		for { // hears neither the end of its stdin nor its context
			if _, err := r.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
	}, transport.Options{})
	if err := c.Close(hurried); err != nil {
		t.Error(err)
	}
}

func TestManyCallsAtOnceGetOneAnswerEach(t *testing.T) {
	c := served(t, echoing, transport.Options{}, transport.Options{})
	const calls = 1000
	for n := range calls {
		go func() {
			_, _ = c.Send(limited(t), transport.Outgoing{Raw: wire.Request(wire.IntID(int64(n)), "x", []byte(`{}`))})
		}()
	}
	seen := map[wire.ID]bool{}
	for range calls {
		seen[receive(t, c).ID] = true
	}
	if len(seen) != calls {
		t.Errorf("%d calls were answered", len(seen))
	}
}
