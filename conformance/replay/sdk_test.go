package replay_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
)

// TestAClientOfTheSDKIsRecorded records a client that is not ours, with all that it
// does by itself: a listening stream, a DELETE.
func TestAClientOfTheSDKIsRecorded(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	path := filepath.Join(t.TempDir(), "sdk"+fixtures.Suffix)
	f := recordTo(t, path, fixtures.Header{Protocol: fixtures.MCP, Transport: "http"}, func(_ wire.Tap, r *recorder.Recorder) error {
		client := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: before(t, serveMCP(t), r)}, nil)
		if err != nil {
			return err
		}
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			_ = tool
		}
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "add_numbers", Arguments: map[string]any{"a": 1, "b": 2}}); err != nil {
			return err
		}
		return session.Close()
	})
	target, err := replay.MCP(load(t, "sdk", f, replay.Options{}), replay.MCPConfig{Dial: dialHTTP(serveMCP(t)), Transport: "http", Name: "built-in", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	nothingFails(t, run(t, target), 5)
}
