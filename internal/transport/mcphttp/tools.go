package mcphttp

import (
	"encoding/json"

	"github.com/peerwright/peerwright/internal/wire"
)

// LearnTools reads the result of a tools/list, so that a later tools/call carries
// the headers that its tool asks for. It may be given page after page. It returns
// the tools whose annotations are not allowed, by name, with why; these a client is
// to leave out.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
func (c *Conn) LearnTools(result json.RawMessage) map[string]error {
	var tools []json.RawMessage
	if json.Unmarshal(wire.Get(result, "tools"), &tools) != nil {
		return nil
	}
	refused := map[string]error{}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tool := range tools {
		name, _ := wire.Text(wire.Get(tool, "name"))
		params, err := ParamHeaders(wire.Get(tool, "inputSchema"))
		if err != nil {
			refused[name] = err
		}
		c.tools[name] = params
	}
	return refused
}
