package mcpserve

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pipe is a conversation with the SDK: both its transport and its connection.
type pipe struct {
	in   chan jsonrpc.Message
	out  func(raw []byte) // is given every message of the SDK
	once sync.Once
	done chan struct{}
}

// newPipe connects the SDK server to a new pipe. The conversation lasts until the
// pipe is closed.
func newPipe(ctx context.Context, sdk *mcp.Server, out func(raw []byte)) (*pipe, error) {
	p := &pipe{in: make(chan jsonrpc.Message), out: out, done: make(chan struct{})}
	if _, err := sdk.Connect(ctx, p, nil); err != nil {
		return nil, fmt.Errorf("connecting the SDK server: %w", err)
	}
	return p, nil
}

// send gives the SDK a message; one that it cannot read is not sent.
func (p *pipe) send(raw []byte) {
	msg, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return // the front builds what it sends
	}
	select {
	case p.in <- msg:
	case <-p.done:
	}
}

// Connect implements mcp.Transport.
func (p *pipe) Connect(context.Context) (mcp.Connection, error) { return p, nil }

// Read implements mcp.Connection.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-p.in:
		return msg, nil
	case <-p.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (p *pipe) Write(_ context.Context, msg jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encoding the SDK's message: %w", err)
	}
	p.out(raw)
	return nil
}

// Close implements mcp.Connection.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// SessionID implements mcp.Connection.
func (p *pipe) SessionID() string { return "" }
