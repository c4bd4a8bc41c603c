package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/transport"
)

// serveLink puts the built-in peer, which serves lines, behind a WebSocket.
func serveLink(ctx context.Context, peer *mcppeer.Server, l transport.Link) error {
	toPeer, in := io.Pipe()
	out, fromPeer := io.Pipe()
	var all sync.WaitGroup
	all.Go(func() {
		defer in.Close()
		for {
			m, err := l.Receive(ctx)
			if err != nil {
				return
			}
			if _, err := in.Write(append(m.Raw, '\n')); err != nil {
				return
			}
		}
	})
	all.Go(func() {
		d := json.NewDecoder(out)
		for {
			var raw json.RawMessage
			if d.Decode(&raw) != nil || l.Send(ctx, transport.Answer{Raw: raw}) != nil {
				return
			}
		}
	})
	err := peer.ServeStdio(ctx, toPeer, fromPeer)
	fromPeer.Close()
	toPeer.Close()
	all.Wait()
	return err
}

func TestEveryWayToAServer(t *testing.T) {
	for name, config := range ways(t) {
		t.Run(name, func(t *testing.T) {
			u := open(t, config)
			list, err := u.Tools(t.Context(), "", 0)
			if err != nil || len(list.Tools) < 10 || len(list.Problems) > 0 {
				t.Fatalf("%d tools, %v, %v", len(list.Tools), list.Problems, err)
			}
			got, err := u.Call(t.Context(), "", upstream.Call{Tool: "add_numbers", Args: json.RawMessage(`{"a":20,"b":22}`)})
			if err != nil || !strings.Contains(string(got.Raw), `"structuredContent":{"sum":42}`) || got.IsError {
				t.Errorf("%s, %v", got.Raw, err)
			}
			got, err = u.Call(t.Context(), "", upstream.Call{Tool: "open_locked_shelf", Args: json.RawMessage(`{}`)})
			if err != nil || !got.IsError {
				t.Errorf("%s, %v", got.Raw, err)
			}
			_, err = u.Call(t.Context(), "", upstream.Call{Tool: "no_such_tool", Args: json.RawMessage(`{}`)})
			if e, ok := errors.AsType[errclass.Error](err); !ok || e.Class != errclass.InvalidArgs || e.Context.UpstreamCode != -32602 || e.Context.Outcome != errclass.NotRun {
				t.Errorf("%+v", err)
			}
			if err := u.Ready(t.Context()); err != nil {
				t.Error(err)
			}
			if st := u.State(); st.Phase != upstream.Ready || st.Starts != 1 || st.Server.Name != "peerwright-mcp-peer" || st.InFlight != 0 {
				t.Errorf("%+v", st)
			}
		})
	}
}
