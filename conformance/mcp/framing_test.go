package mcp

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// serving makes a server that serves batches whatever the revision, as far as take
// lets it.
func serving(take func([]wire.Message) []wire.Message) *scripted {
	p := &scripted{}
	p.hook = func(req wire.Message, good []byte) [][]byte {
		if req.Kind != wire.KindBatch {
			return some(good)
		}
		var out [][]byte
		for _, one := range take(req.Batch) {
			out = append(out, wire.Result(one.ID, []byte(`{}`)))
		}
		return out
	}
	return p
}

func TestBatches(t *testing.T) {
	all := func(b []wire.Message) []wire.Message { return b }
	second := func(b []wire.Message) []wire.Message { return b[1:] }
	none := func([]wire.Message) []wire.Message { return nil }
	for _, w := range everyWay(mcp.Rev2506, mcp.Rev2511, mcp.Rev2607) {
		judge(t, batchRefused(),
			row{"served", serving(all), w, reporters.Warned, "result {}"},
			row{"served in part", serving(second), w, reporters.Warned, ""})
	}
	judge(t, batchRefused(),
		row{"in silence", serving(none), way{"stdio", mcp.Rev2511}, reporters.Passed, ""},
		row{"taken", &scripted{hook: serving(none).hook, http: scriptedHTTP{wrap: forcedStatus(400, 202)}}, way{"http", mcp.Rev2511}, reporters.Warned, "202"},
		row{"dead", &scripted{hook: diesOfBatches}, way{"stdio", mcp.Rev2511}, reporters.Warned, "script says to die"})
	for _, w := range everyWay(mcp.Rev2503) {
		judge(t, batchAnswered(),
			row{"refused", &scripted{hook: refusesPings}, w, reporters.Failed, "-32600"},
			row{"one of two", &scripted{hook: everyOtherPing()}, w, reporters.Failed, "second of two"})
	}
}

func diesOfBatches(req wire.Message, good []byte) [][]byte {
	if req.Kind == wire.KindBatch {
		return [][]byte{nil}
	}
	return some(good)
}

func refusesPings(req wire.Message, good []byte) [][]byte {
	if req.Method == "ping" {
		good = wire.Failure(req.ID, -32600, "no", nil)
	}
	return some(good)
}

func everyOtherPing() func(wire.Message, []byte) [][]byte {
	n := 0
	return func(req wire.Message, good []byte) [][]byte {
		if req.Method == "ping" {
			if n++; n%2 == 0 {
				return nil
			}
		}
		return some(good)
	}
}

// piped reaches a server function over pipes, in place of the scripted one's own.
func piped(t *testing.T, serve func(context.Context, io.Reader, io.Writer) error) *Target {
	t.Helper()
	target := NewTarget(Config{
		Transport: "stdio", Name: "piped", Revision: mcp.Rev2511, Now: time.Now,
		Dial: func(_ context.Context, tap wire.Tap) (transport.Conn, error) {
			return stdio.DialPipe(context.Background(), serve, transport.Options{Tap: tap}), nil
		},
	})
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

func TestStdioFraming(t *testing.T) {
	good := (&scripted{}).serve
	for name, row := range map[string]struct {
		serve func(context.Context, io.Reader, io.Writer) error
		want  reporters.Status
		says  string
	}{
		"exits": {good, reporters.Passed, ""},
		"stays": {func(ctx context.Context, r io.Reader, w io.Writer) error {
			_ = good(ctx, r, w)
			<-ctx.Done()
			return nil
		}, reporters.Warned, "signal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the second waits for its grace to pass
			target := piped(t, row.serve)
			survey, err := target.Survey(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			out := attempt(t, target, survey, exitsOnEOF())
			if out.Status != row.want || !contains(out, row.says) {
				t.Errorf("%+v, want %s that says %q", out.Finding, row.want, row.says)
			}
		})
	}
	for _, w := range []way{{"stdio", mcp.Rev2511}, {"stdio", mcp.Rev2607}} {
		judge(t, longMessage(),
			row{"dead", &scripted{hook: diesOfLength}, w, reporters.Warned, "script says to die"},
			row{"refused", instead((&Session{Client: &mcp.Client{Revision: w.revision}}).harmless(), refusesLength), w, reporters.Warned, "too long"})
	}
}

func diesOfLength(req wire.Message, good []byte) [][]byte {
	if len(req.Raw) > 65536 {
		return [][]byte{nil}
	}
	return some(good)
}

func refusesLength(req wire.Message, good []byte) []byte {
	if len(req.Raw) > 65536 {
		return wire.Failure(req.ID, -32600, "too long", nil)
	}
	return good
}

func TestHTTPFraming(t *testing.T) {
	on := func(w func(http.Handler) http.Handler) *scripted { return &scripted{http: scriptedHTTP{wrap: w}} }
	for _, rev := range []string{mcp.Rev2503, mcp.Rev2511, mcp.Rev2607} {
		w := way{"http", rev}
		judge(t, notificationAccepted(),
			row{"200", on(forcedStatus(202, 200)), w, reporters.Failed, "200"},
			row{"a body", on(notificationsAre(202, "null")), w, reporters.Failed, "null"},
			row{"refused", on(notificationsAre(400, "")), w, reporters.NotVerified, "HTTP status 400"})
		judge(t, acceptWildcard(), row{"406", on(wantsBoth), w, reporters.Warned, "406"})
		judge(t, originRefused(), row{"let through", on(anyOrigin), w, reporters.Failed, "result"})
	}
	for _, rev := range []string{mcp.Rev2511, mcp.Rev2607} {
		judge(t, originStatus(),
			row{"400", on(forcedStatus(403, 400)), way{"http", rev}, reporters.Failed, "400"},
			row{"let through", on(anyOrigin), way{"http", rev}, reporters.NotVerified, "mcp.security.origin"})
	}
	for _, rev := range []string{mcp.Rev2503, mcp.Rev2511} {
		w := way{"http", rev}
		judge(t, responseAccepted(), row{"200", on(forcedStatus(202, 200)), w, reporters.Failed, "200"})
		judge(t, getStream(),
			row{"404", on(forcedStatus(405, 404)), w, reporters.Failed, "404"},
			row{"JSON", on(onMethod(http.MethodGet, "application/json", `{}`)), w, reporters.Failed, "application/json"},
			row{"a stream", on(onMethod(http.MethodGet, "text/event-stream", ":\n\n")), w, reporters.Passed, ""})
	}
	judge(t, versionHeader(),
		row{"served", on(anyVersion), way{"http", mcp.Rev2511}, reporters.Failed, "result"},
		row{"404", on(forcedStatus(400, 404)), way{"http", mcp.Rev2511}, reporters.Failed, "404"})
}

// A server that is not on this machine may let any page through.
func TestOriginOnTheNetwork(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"http://127.0.0.1:1/mcp": true, "http://[::1]:1/mcp": true, "http://localhost/mcp": true,
		"https://example.com/mcp": false, "http://192.0.2.1/": false, "": false, "http://%zz": false,
	} {
		if got := onLoopback(endpoint); got != want {
			t.Errorf("%q is on this machine: %v", endpoint, got)
		}
	}
}
