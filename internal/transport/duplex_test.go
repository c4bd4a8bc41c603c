package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/wire"
)

func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		raw  string
		want []string
	}{
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, []string{`1`}},
		{` {"result":{"id":7},"id":"1"}`, []string{`"1"`}},
		{`{"id":9007199254740993,"error":{"code":1}}`, []string{`9007199254740993`}},
		{`{"id":null,"error":{}}`, []string{`null`}},
		{`{"id":1,"result":` + "cut off", []string{`1`}},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, nil},
		{`{"jsonrpc":"2.0","method":"notifications/x"}`, nil},
		{`{"error":{},"jsonrpc":"2.0"}`, nil},
		{`{"id":1}`, nil},
		{`{"id":`, nil},
		{`[{"id":1,"result":1},{"id":2,"method":"ping"},{"id":3,"error":{}}]`, []string{`1`, `3`}},
		{`[]`, nil},
		{`"text"`, nil},
		{``, nil},
	} {
		var got []string
		for _, id := range answers([]byte(tc.raw)) {
			got = append(got, id.String())
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.raw, diff)
		}
	}
}

// put hands the link what a client wrote.
func put(d *Duplex, lines ...string) {
	for _, line := range lines {
		d.Put(Incoming{Message: wire.Parse([]byte(line))})
	}
}

func request(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func TestDuplexAnswersWhatTheHandlerLeft(t *testing.T) {
	var wrote []string
	d := NewDuplex(func(msg []byte) error {
		wrote = append(wrote, string(msg))
		return nil
	})
	put(d, request(`1`), request(`"1"`), request(`"\u0061"`), request(`1`),
		`[`+request(`2`)+`,`+request(`3`)+`]`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	d.End(io.EOF)
	answered := []string{`{"id":1,"result":{}}`, `{"id":"a","result":{}}`}
	err := d.Serve(t.Context(), func(ctx context.Context, l Link) error {
		for _, raw := range answered {
			if err := l.Send(ctx, Answer{Raw: []byte(raw)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	want := append([]string(nil), answered...)
	for _, id := range []string{`"1"`, `1`, `3`} {
		want = append(want, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32603,`+
			`"message":"Internal error: the server ended before it answered this request"}}`)
	}
	if diff := cmp.Diff(want, wrote); diff != "" {
		t.Error(diff)
	}
}

func TestDuplexServeTellsHowItEnded(t *testing.T) {
	broken := errors.New("broken")
	drain := func(ctx context.Context, l Link) error {
		for {
			if _, err := l.Receive(ctx); err != nil {
				return fmt.Errorf("handler: %w", err)
			}
		}
	}
	for _, tc := range []struct {
		name  string
		cause error
		h     Handler
		want  error
	}{
		{"in good order", io.EOF, drain, nil},
		{"failed reading", broken, drain, broken},
		{"handler failed", io.EOF, func(context.Context, Link) error { return broken }, broken},
	} {
		d := NewDuplex(func([]byte) error { return nil })
		put(d, request(`1`))
		d.End(tc.cause)
		if err := d.Serve(t.Context(), tc.h); !errors.Is(err, tc.want) {
			t.Errorf("%s: Serve = %v, want %v", tc.name, err, tc.want)
		}
	}
}

func TestDuplexEndsTheHandlerWhenTheClientIsGone(t *testing.T) {
	broken := errors.New("broken")
	d := NewDuplex(func([]byte) error { return broken })
	put(d, request(`1`))
	err := d.Serve(t.Context(), func(ctx context.Context, l Link) error {
		err := l.Send(ctx, Answer{Raw: []byte(`{}`)})
		<-ctx.Done()
		return err
	})
	if !errors.Is(err, ErrClosed) || !errors.Is(err, broken) {
		t.Errorf("Serve = %v", err)
	}
}
