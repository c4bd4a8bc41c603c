package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// scripted is a small good MCP server, which a test breaks in one place. The zero
// value speaks every revision, over stdio (serve) and HTTP (handler).
type scripted struct {
	// era is "legacy" or "modern" for a server of one era; "" for both.
	era string
	// hook is told each message of the client and the answer to it, nil for none, and
	// returns what is sent instead, in order. A nil message is the death of the server.
	hook func(req wire.Message, reply []byte) [][]byte
	// lacks lists the capabilities that it does not have.
	lacks []string
	// onePage puts every list on one page.
	onePage bool
	http    scriptedHTTP

	mu sync.Mutex
}

// The things that it offers, two on a page.
func (p *scripted) items(method string) (member string, items []string) {
	switch method {
	case "tools/list":
		return "tools", []string{
			`{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"annotations":{"readOnlyHint":true}}`,
			`{"name":"count","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"annotations":{"readOnlyHint":true}}`,
			`{"name":"erase","inputSchema":{"type":"object"}}`,
		}
	case "resources/list":
		return "resources", []string{`{"uri":"test:///a","name":"a"}`, `{"uri":"test:///b","name":"b"}`, `{"uri":"test:///c","name":"c"}`}
	case "resources/templates/list":
		return "resourceTemplates", []string{`{"uriTemplate":"test:///t/{x}","name":"t"}`}
	case "prompts/list":
		return "prompts", []string{
			`{"name":"greet","arguments":[{"name":"who","required":true}]}`, `{"name":"plain"}`, `{"name":"other"}`,
		}
	}
	return "", nil
}

const rpcMethodNotFound, rpcInvalidParams, rpcInvalidRequest, rpcParse = -32601, -32602, -32600, -32700

// refusal is an error that the server answers with.
type refusal struct {
	code    int64
	message string
	data    string
}

func (r *refusal) Error() string { return r.message }

func refusing(code int64, message string) error { return &refusal{code: code, message: message} }

// respond answers one message as a server of the revision does; "" is a legacy
// conversation before initialize. nil is no answer.
func (p *scripted) respond(revision string, m wire.Message) []byte {
	if m.Kind == wire.KindNotification || m.IsResponse() {
		return nil
	}
	result, err := p.serveRequest(revision, m)
	var no *refusal
	if !errors.As(err, &no) {
		return wire.Result(m.ID, p.dress(revision, m.Method, result))
	}
	id := m.ID
	if !id.IsString() && !id.IsNumber() {
		id = wire.NullID
	}
	var data json.RawMessage
	if no.data != "" {
		data = json.RawMessage(no.data)
	}
	return wire.Failure(id, no.code, no.message, data)
}

// dress adds what 2026-07-28 wants in a result.
func (p *scripted) dress(revision, method, result string) json.RawMessage {
	if !mcp.Modern(revision) {
		return json.RawMessage(result)
	}
	add := `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"1"}}`
	if method != "tools/call" && method != "prompts/get" && method != "completion/complete" {
		add += `,"ttlMs":1000,"cacheScope":"public"`
	}
	return json.RawMessage(strings.Replace(strings.Replace(result, "{", "{"+add+",", 1), ",}", "}", 1))
}

func (p *scripted) serveRequest(revision string, m wire.Message) (string, error) {
	switch {
	case m.Kind == wire.KindBatch:
		return "", refusing(rpcInvalidRequest, "batches are not served")
	case m.Kind == wire.KindInvalid && m.ID.IsZero() && slices.Contains(m.Problems, "not valid JSON"):
		return "", refusing(rpcParse, "parse error")
	case m.Kind == wire.KindInvalid, m.ID == wire.NullID, m.ID.IsZero(), len(m.Problems) > 0:
		return "", refusing(rpcInvalidRequest, "invalid request: "+strings.Join(m.Problems, ", "))
	}
	if err := p.checkMeta(revision, m); err != nil {
		return "", err
	}
	if m.Method == "initialize" && p.era != "modern" && wire.Path(m.Params, "_meta", mcp.MetaVersion) == nil {
		return p.initialize(m)
	}
	if revision == "" {
		return "", refusing(rpcInvalidRequest, "initialize comes first")
	}
	return p.serve1(revision, m)
}

// checkMeta judges what 2026-07-28 wants on a request.
func (p *scripted) checkMeta(revision string, m wire.Message) error {
	if !mcp.Modern(revision) {
		return nil
	}
	meta := wire.Get(m.Params, "_meta")
	version, ok := wire.Text(wire.Get(meta, mcp.MetaVersion))
	if ok && version != mcp.Rev2607 {
		supported, _ := json.Marshal(p.revisions())
		return &refusal{mcp.CodeUnsupportedVersion, "unsupported protocol version", fmt.Sprintf(`{"supported":%s,"requested":%q}`, supported, version)}
	}
	if m.Method == "initialize" {
		return refusing(rpcMethodNotFound, "no initialize: this server speaks 2026-07-28")
	}
	if !ok || wire.Get(meta, mcp.MetaCapabilities) == nil {
		return refusing(rpcInvalidParams, "_meta lacks a required member")
	}
	return badLevel(wire.Get(meta, metaLogLevel))
}

func (p *scripted) revisions() []string {
	switch p.era {
	case "legacy":
		return legacy()
	case "modern":
		return modern()
	}
	return all()
}

func (p *scripted) initialize(m wire.Message) (string, error) {
	wanted, ok := wire.Text(wire.Get(m.Params, "protocolVersion"))
	if !ok {
		return "", refusing(rpcInvalidParams, "protocolVersion is missing")
	}
	return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"serverInfo":{"name":"scripted","version":"1"}}`, agreed(wanted), p.capabilities()), nil
}

func agreed(wanted string) string {
	if slices.Contains(legacy(), wanted) {
		return wanted
	}
	return mcp.Rev2511
}

func (p *scripted) has(capability string) bool { return !slices.Contains(p.lacks, capability) }

func (p *scripted) capabilities() string {
	var has []string
	for _, name := range []string{"tools", "resources", "prompts", "completions", "logging"} {
		if p.has(name) {
			has = append(has, strconv.Quote(name)+`:{}`)
		}
	}
	return "{" + strings.Join(has, ",") + "}"
}

// serve1 serves one good request of an open conversation.
func (p *scripted) serve1(revision string, m wire.Message) (string, error) {
	old := !mcp.Modern(revision)
	switch m.Method {
	case "server/discover":
		if old {
			break
		}
		versions, _ := json.Marshal(p.revisions())
		return fmt.Sprintf(`{"supportedVersions":%s,"capabilities":%s}`, versions, p.capabilities()), nil
	case "ping":
		if old {
			return `{}`, nil
		}
	case "logging/setLevel":
		if old && p.has("logging") {
			return `{}`, badLevel(wire.Get(m.Params, "level"))
		}
	case "tools/list", "resources/list", "resources/templates/list", "prompts/list":
		if kind, _, _ := strings.Cut(m.Method, "/"); p.has(kind) {
			return p.list(m)
		}
	case "tools/call", "resources/read", "prompts/get", "completion/complete":
		if kind, _, _ := strings.Cut(m.Method, "/"); p.has(strings.Replace(kind, "completion", "completions", 1)) {
			return p.use(revision, m)
		}
	}
	return "", refusing(rpcMethodNotFound, "method not found")
}

func badLevel(raw json.RawMessage) error {
	levels := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	if level, _ := wire.Text(raw); raw != nil && !slices.Contains(levels, level) {
		return refusing(rpcInvalidParams, "no such level")
	}
	return nil
}

func (p *scripted) list(m wire.Message) (string, error) {
	member, items := p.items(m.Method)
	from := 0
	if cursor := wire.Get(m.Params, "cursor"); cursor != nil {
		text, _ := wire.Text(cursor)
		at, found := strings.CutPrefix(text, "after-")
		n, err := strconv.Atoi(at)
		if !found || err != nil || n >= len(items) {
			return "", refusing(rpcInvalidParams, "no such cursor")
		}
		from = n
	}
	to, next := len(items), ""
	if from+2 < to && !p.onePage {
		to = from + 2
		next = fmt.Sprintf(`,"nextCursor":"after-%d"`, to)
	}
	return fmt.Sprintf(`{%q:[%s]%s}`, member, strings.Join(items[from:to], ","), next), nil
}

// use serves the requests that name one thing.
func (p *scripted) use(revision string, m wire.Message) (string, error) {
	name, named := wire.Text(wire.Get(m.Params, "name"))
	args := wire.Get(m.Params, "arguments")
	switch m.Method {
	case "resources/read":
		uri, _ := wire.Text(wire.Get(m.Params, "uri"))
		if !slices.Contains([]string{"test:///a", "test:///b", "test:///c"}, uri) {
			code := int64(-32002)
			if mcp.Modern(revision) {
				code = rpcInvalidParams
			}
			return "", refusing(code, "resource not found")
		}
		return fmt.Sprintf(`{"contents":[{"uri":%q,"text":"x"}]}`, uri), nil
	case "completion/complete":
		if ref, _ := wire.Text(wire.Path(m.Params, "ref", "name")); ref != "greet" {
			return "", refusing(rpcInvalidParams, "no such prompt")
		}
		return `{"completion":{"values":["you"]}}`, nil
	case "prompts/get":
		if !named || !slices.Contains([]string{"greet", "plain", "other"}, name) || name == "greet" && wire.Get(args, "who") == nil {
			return "", refusing(rpcInvalidParams, "no such prompt, or an argument is missing")
		}
		return `{"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]}`, nil
	}
	return call(name, args)
}

func call(name string, args json.RawMessage) (string, error) {
	switch name {
	case "count":
		return `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`, nil
	case "erase":
		return `{"content":[]}`, nil
	case "echo":
		text, ok := wire.Text(wire.Get(args, "text"))
		if !ok {
			return `{"content":[{"type":"text","text":"text is missing"}],"isError":true}`, nil
		}
		return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, wire.Quote(text)), nil
	}
	return "", refusing(rpcInvalidParams, "unknown tool")
}

// reply is what goes out for a message of the client.
func (p *scripted) reply(revision string, m wire.Message) [][]byte {
	answer := p.respond(revision, m)
	if p.hook != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.hook(m, answer)
	}
	if answer == nil {
		return nil
	}
	return [][]byte{answer}
}

// serve is the server over stdio.
func (p *scripted) serve(_ context.Context, r io.Reader, w io.Writer) error {
	lines, revision := wire.NewLineReader(r, 0), ""
	for {
		line, err := lines.Next()
		if err != nil {
			return nil //nolint:nilerr // the end of stdin is the end of the server
		}
		m := wire.Parse(bytes.Clone(line.Content()))
		if m.Kind == wire.KindBatch && revision == mcp.Rev2503 {
			for _, one := range m.Batch {
				if err := write(w, p.reply(revision, one)); err != nil {
					return err
				}
			}
			continue
		}
		if err := write(w, p.reply(p.revisionOf(m, revision), m)); err != nil {
			return err
		}
		if version, ok := wire.Text(wire.Get(m.Params, "protocolVersion")); ok && m.Method == "initialize" {
			revision = agreed(version)
		}
	}
}

// revisionOf finds the revision by which the message is served, in a conversation
// that has agreed on one or not.
func (p *scripted) revisionOf(m wire.Message, agreed string) string {
	if p.era == "modern" || p.era == "" && (wire.Get(m.Params, "_meta") != nil && agreed == "") {
		return mcp.Rev2607
	}
	return agreed
}

func write(w io.Writer, messages [][]byte) error {
	for _, raw := range messages {
		if raw == nil {
			return errors.New("the script says to die")
		}
		if _, err := w.Write(append(bytes.Clone(raw), '\n')); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	return nil
}
