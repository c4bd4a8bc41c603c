package mcp

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// scriptedHTTP is what the scripted server is over HTTP.
type scriptedHTTP struct {
	// wrap stands before the server, to break what HTTP adds.
	wrap func(http.Handler) http.Handler
	// sse answers every request with an event stream.
	sse bool
	// noSessions makes a legacy server that hands out no session id.
	noSessions bool
	// noDelete refuses to end sessions.
	noDelete bool

	last     int               // number of the last session
	sessions map[string]string // the revision of each
}

// handler is the server over Streamable HTTP.
func (p *scripted) handler() http.Handler {
	p.http.sessions = map[string]string{}
	h := http.Handler(http.HandlerFunc(p.serveHTTP))
	if p.http.wrap != nil {
		h = p.http.wrap(h)
	}
	return h
}

func (p *scripted) serveHTTP(w http.ResponseWriter, r *http.Request) {
	if o := r.Header.Get("Origin"); o != "" && !strings.HasPrefix(o, "http://127.0.0.1") {
		http.Error(w, "no such origin here", http.StatusForbidden)
		return
	}
	body, _ := io.ReadAll(r.Body)
	m := wire.Parse(body)
	version := r.Header.Get("Mcp-Protocol-Version")
	modernCall := wire.Path(m.Params, "_meta", mcp.MetaVersion) != nil || version >= mcp.Rev2607
	switch {
	case p.era == "modern", p.era == "" && modernCall && r.Header.Get("Mcp-Session-Id") == "":
		p.serveModern(w, r, m)
	case r.Method == http.MethodPost && m.Method == "initialize" && r.Header.Get("Mcp-Session-Id") == "":
		p.serveInitialize(w, m)
	default:
		p.serveLegacy(w, r, m)
	}
}

func (p *scripted) serveInitialize(w http.ResponseWriter, m wire.Message) {
	wanted, _ := wire.Text(wire.Get(m.Params, "protocolVersion"))
	if !p.http.noSessions {
		p.mu.Lock()
		p.http.last++
		id := "s" + strconv.Itoa(p.http.last)
		p.http.sessions[id] = agreed(wanted)
		p.mu.Unlock()
		w.Header().Set("Mcp-Session-Id", id)
	}
	p.send(w, http.StatusOK, p.reply("", m))
}

func (p *scripted) serveLegacy(w http.ResponseWriter, r *http.Request, m wire.Message) {
	revision, status := p.session(r)
	version := r.Header.Get("Mcp-Protocol-Version")
	switch {
	case status != 0:
		http.Error(w, "session", status)
	case version != "" && !slices.Contains(legacy(), version):
		http.Error(w, "version", http.StatusBadRequest)
	case r.Method == http.MethodDelete && !p.http.noDelete:
		p.mu.Lock()
		delete(p.http.sessions, r.Header.Get("Mcp-Session-Id"))
		p.mu.Unlock()
	case r.Method != http.MethodPost:
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
	case m.Kind == wire.KindBatch && revision == mcp.Rev2503:
		var all [][]byte
		for _, one := range m.Batch {
			all = append(all, p.reply(revision, one)...)
		}
		p.sendSSE(w, all)
	case m.Kind == wire.KindNotification || m.IsResponse():
		p.send(w, http.StatusAccepted, p.reply(revision, m))
	case m.Kind == wire.KindRequest:
		p.send(w, http.StatusOK, p.reply(revision, m))
	default:
		p.send(w, http.StatusBadRequest, p.reply(revision, m))
	}
}

// session finds the session of the request; the status says why there is none.
func (p *scripted) session(r *http.Request) (revision string, status int) {
	id := r.Header.Get("Mcp-Session-Id")
	if p.http.noSessions {
		return mcp.Rev2511, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	revision, ok := p.http.sessions[id]
	switch {
	case id == "":
		return "", http.StatusBadRequest
	case !ok:
		return "", http.StatusNotFound
	}
	return revision, 0
}

func (p *scripted) serveModern(w http.ResponseWriter, r *http.Request, m wire.Message) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	if m.Kind == wire.KindNotification {
		p.send(w, http.StatusAccepted, p.reply(mcp.Rev2607, m))
		return
	}
	if wrong := mismatch(r.Header, m); wrong != "" {
		p.send(w, http.StatusBadRequest, [][]byte{wire.Failure(m.ID, mcp.CodeHeaderMismatch, wrong+" does not match; this server speaks "+mcp.Rev2607, nil)})
		return
	}
	out := p.reply(mcp.Rev2607, m)
	p.send(w, statusOf(out), out)
}

// mismatch says which header does not mirror the body; "" when all do.
func mismatch(h http.Header, m wire.Message) string {
	if m.Kind != wire.KindRequest {
		return ""
	}
	version, named := wire.Text(wire.Path(m.Params, "_meta", mcp.MetaVersion))
	name, hasName := wire.Text(wire.Get(m.Params, "name"))
	if m.Method == "resources/read" {
		name, hasName = wire.Text(wire.Get(m.Params, "uri"))
	}
	got, err := mcphttp.DecodeHeader(h.Get("Mcp-Name"))
	switch {
	case h.Get("Mcp-Method") != m.Method:
		return "Mcp-Method"
	case h.Get("Mcp-Protocol-Version") == "", named && h.Get("Mcp-Protocol-Version") != version:
		return "MCP-Protocol-Version"
	case hasName && slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, m.Method) && (err != nil || got != name):
		return "Mcp-Name"
	}
	return ""
}

// statusOf is the HTTP status of a modern answer.
func statusOf(out [][]byte) int {
	if len(out) == 0 {
		return http.StatusOK
	}
	m := wire.Parse(out[len(out)-1])
	code := int64(0)
	if m.Error != nil {
		code = m.Error.Code
	}
	switch code {
	case 0:
		return http.StatusOK
	case rpcMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// send writes an answer: nothing, one message as JSON, or several as a stream.
func (p *scripted) send(w http.ResponseWriter, status int, messages [][]byte) {
	switch {
	case slices.ContainsFunc(messages, func(raw []byte) bool { return raw == nil }):
		panic(http.ErrAbortHandler)
	case len(messages) == 0:
		w.WriteHeader(status)
	case len(messages) > 1 || p.http.sse && status == http.StatusOK:
		p.sendSSE(w, messages)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(messages[0]) // a client that left reads nothing
	}
}

func (p *scripted) sendSSE(w http.ResponseWriter, messages [][]byte) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	var out bytes.Buffer
	for _, raw := range messages {
		out.Write(wire.AppendEvent(nil, wire.OutEvent{Data: raw}))
	}
	_, _ = w.Write(out.Bytes()) // as above
}
