package recorder_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
)

// names are answers in which a peer names its own address; ORIGIN stands for that.
var names = map[string]struct {
	path, media, body, shown string
}{
	"a card of 0.3": {
		"/.well-known/agent-card.json", "application/json",
		`{"url":"ORIGIN/a2a", "x":"ORIGIN", "y":"ORIGIN0/", "z":"see ORIGIN/", "additionalInterfaces":[{"url":"ORIGIN?a"}]}`,
		`{"url":"PROXY/a2a", "x":"PROXY", "y":"ORIGIN0/", "z":"see ORIGIN/", "additionalInterfaces":[{"url":"PROXY?a"}]}`,
	},
	"a card of 1.0, nested":      {"/sub/.well-known/agent.json", "application/json", `{"supportedInterfaces":[{"url":"ORIGIN/"}]}`, `{"supportedInterfaces":[{"url":"PROXY/"}]}`},
	"an extended card":           {"/extendedAgentCard", "application/a2a+json", `{"url":"ORIGIN/"}`, `{"url":"PROXY/"}`},
	"a card with slashes":        {"/.well-known/agent-card.json", "application/json", `{"url":"ESCAPED\/a"}`, `{"url":"PROXYESCAPED\/a"}`},
	"a card of another origin":   {"/.well-known/agent-card.json", "application/json", `{"url":"http://other/"}`, `{"url":"http://other/"}`},
	"no card at all":             {"/.well-known/agent-card.json", "text/html", `<a href="ORIGIN/">`, `<a href="ORIGIN/">`},
	"another document":           {"/doc", "application/json", `{"url":"ORIGIN/"}`, `{"url":"ORIGIN/"}`},
	"an absolute endpoint":       {"/sse", "text/event-stream", "event: endpoint\ndata: ORIGIN/m?s=1\n\ndata: ORIGIN/\n\n", "event: endpoint\ndata: PROXY/m?s=1\n\ndata: ORIGIN/\n\n"},
	"an endpoint after comments": {"/sse", "text/event-stream", ": hi\r\n\r\nevent: endpoint\r\ndata: ORIGIN/m\r\n\r\n", ": hi\r\n\r\nevent: endpoint\r\ndata: PROXY/m\r\n\r\n"},
	"a relative endpoint":        {"/sse", "text/event-stream", "event: endpoint\ndata: /m?s=1\n\n", "event: endpoint\ndata: /m?s=1\n\n"},
	"an endpoint elsewhere":      {"/sse", "text/event-stream", "event: endpoint\ndata: http://other/m\n\n", "event: endpoint\ndata: http://other/m\n\n"},
	"a stream of other events":   {"/sse", "text/event-stream", "data: 1\n\nevent: endpoint\ndata: ORIGIN/m\n\n", "data: 1\n\nevent: endpoint\ndata: ORIGIN/m\n\n"},
	"a long first event":         {"/sse", "text/event-stream", "event: endpoint\ndata: " + strings.Repeat("x", 100_000) + "\n\n", "event: endpoint\ndata: " + strings.Repeat("x", 100_000) + "\n\n"},
	"a stream cut at once":       {"/sse", "text/event-stream", "event: endpoint\ndata: ORIG", "event: endpoint\ndata: ORIG"},
}

func TestAddressesOfThePeer(t *testing.T) {
	for name, tc := range names {
		for _, keep := range []bool{false, true} {
			t.Run(fmt.Sprint(name, "/keep=", keep), func(t *testing.T) {
				fill := func(text, direct, proxied string) string {
					slashed := func(s string) string { return strings.ReplaceAll(s, "/", `\/`) }
					return strings.NewReplacer("PROXYESCAPED", slashed(proxied), "ESCAPED", slashed(direct), "ORIGIN", direct, "PROXY", proxied).Replace(text)
				}
				rec, direct, proxied := between(t, func(w http.ResponseWriter, req *http.Request) {
					body := fill(tc.body, "http://"+req.Host, "")
					w.Header().Set("Content-Type", tc.media)
					if tc.media != "text/event-stream" {
						w.Header().Set("Content-Length", strconv.Itoa(len(body)))
					}
					pieces(w, body, 11)
				}, recorder.ProxyOptions{KeepURLs: keep})

				want := fill(tc.shown, direct, proxied)
				if keep {
					want = fill(tc.body, direct, proxied)
				}
				if got := ask(t, "GET", proxied+tc.path, "", nil); got.Body != want {
					t.Errorf("the client saw %.300q\nwant %.300q", got.Body, want)
				}
				f := rec.read()
				sent := fill(tc.body, direct, proxied)
				if kept := string(joined(f, 1, wire.In, wire.FrameBody, wire.FrameEvent, wire.FrameChunk)); kept != sent {
					t.Errorf("the fixture has %.300q\nwant what the peer sent, %.300q", kept, sent)
				}
				noted := 0
				for _, frame := range f.Frames {
					if strings.Contains(frame.Note, "the client was shown "+proxied+" in place of "+direct) {
						noted++
					}
				}
				if changed := want != sent; changed != (noted == 1) || noted > 1 {
					t.Errorf("changed %v, noted %d times", changed, noted)
				}
			})
		}
	}
}

func TestACardInGzip(t *testing.T) {
	rec, direct, proxied := between(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zip(`{"url":"http://` + req.Host + req.URL.RawQuery + `/"}`))
	}, recorder.ProxyOptions{})
	got := ask(t, "GET", proxied+"/.well-known/agent-card.json", "", nil)
	if got.Body != `{"url":"`+proxied+`/"}` || got.Header.Get("Content-Encoding") != "" || got.Length != int64(len(got.Body)) {
		t.Errorf("the client saw %+v", got)
	}
	got = ask(t, "GET", proxied+"/.well-known/agent-card.json?.other", "", nil)
	if got.Body != string(zip(`{"url":"`+direct+`.other/"}`)) || got.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("of another origin, the client saw %+v", got)
	}
	if kept := joined(rec.read(), 1, wire.In, wire.FrameBody); string(kept) != string(zip(`{"url":"`+direct+`/"}`)) {
		t.Errorf("the fixture has %q", kept)
	}
}
