package replay

import (
	"strings"

	"github.com/peerwright/peerwright/conformance"
	suite "github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// planMCP makes the steps of an MCP fixture. The client's answers to the server are
// no steps: they are given when the live server asks.
func (s *Script) planMCP() {
	greeted := false
	for _, e := range s.log.Exchanges {
		if e.Request.IsResponse() {
			continue
		}
		st := &step{Exchange: e, method: e.Request.Method, begins: e.Head.Seq, ends: e.AnswerAt}
		if st.begins == 0 {
			st.begins = e.Out.Seq
		}
		st.area = mcpArea(st)
		s.plan(st, &greeted)
		s.add(st)
	}
}

// plan decides what becomes of a step.
func (s *Script) plan(st *step, greeted *bool) {
	modern := mcp.Modern(s.fixture.Header.Revision)
	switch {
	case st.Request.Kind == "":
		st.method = st.Head.Method
		st.idle = "a " + st.Head.Method + " without a message is the transport's own"
	case st.Request.Kind == wire.KindBatch:
		st.method, st.idle = "batch", "a batch is not played"
	case st.Request.Kind == wire.KindInvalid:
		st.method, st.idle = "invalid", "the client sent what is no message, and a replay does not"
	case st.method == "initialize" || st.method == "server/discover" && modern && !*greeted:
		st.greets = !*greeted
		*greeted = true
		if !st.greets {
			st.idle = "a second handshake; a replay is one conversation"
		}
	case st.method == "server/discover" && !modern:
		st.idle = "it only found out the era; a replay opens in the recorded revision"
	case st.method == "notifications/initialized":
		st.greets = true
	default:
		st.needs = mcpNeeds(st)
	}
	if st.Request.Kind == wire.KindRequest && st.Answer.Kind == "" && st.Status() < 400 {
		st.unknown = "the fixture holds no answer to it"
	}
}

// mcpNeeds lists what the server must have for the step to be played. What was
// refused when it was recorded may be missing again.
func mcpNeeds(st *step) []conformance.Feature {
	if st.refused() {
		return nil
	}
	family, _, _ := strings.Cut(st.method, "/")
	switch family {
	case "tools":
		return append([]conformance.Feature{suite.Tools}, toolNeeds(st)...)
	case "prompts":
		return append([]conformance.Feature{suite.Prompts}, named(st, "prompts/get", "prompt", "name")...)
	case "resources":
		if st.method == "resources/subscribe" || st.method == "resources/unsubscribe" {
			return []conformance.Feature{suite.Resources, suite.Subscribe}
		}
		return append([]conformance.Feature{suite.Resources}, named(st, "resources/read", resource, "uri")...)
	case "completion":
		return []conformance.Feature{suite.Completions}
	case "logging":
		return []conformance.Feature{suite.Logging}
	case "tasks":
		return []conformance.Feature{tasks}
	}
	return nil
}

// tasks is the capability to run requests as tasks.
const tasks conformance.Feature = "tasks that are polled"

// feature names one tool, prompt or resource of the server.
func feature(kind, name string) conformance.Feature {
	return conformance.Feature(kind + ` "` + name + `"`)
}

func named(st *step, method, kind, param string) []conformance.Feature {
	if st.method != method {
		return nil
	}
	return []conformance.Feature{feature(kind, st.param(param))}
}

func toolNeeds(st *step) []conformance.Feature { return named(st, "tools/call", "tool", "name") }

func mcpArea(st *step) conformance.Area {
	family, _, _ := strings.Cut(st.method, "/")
	switch {
	case st.Answer.Kind == wire.KindError:
		return conformance.Errors
	case st.method == "notifications/cancelled":
		return conformance.Cancellation
	case wire.Get(st.Request.Params, "cursor") != nil:
		return conformance.Pagination
	case strings.HasSuffix(st.method, "subscribe") || family == "subscriptions":
		return conformance.Subscriptions
	}
	areas := map[string]conformance.Area{
		"tools": conformance.Tools, "resources": conformance.Resources, "prompts": conformance.Prompts,
		"completion": conformance.Prompts, "tasks": conformance.Tasks, "server": conformance.Discovery,
		"initialize": conformance.Lifecycle, "ping": conformance.Lifecycle, "logging": conformance.Lifecycle,
		"notifications": conformance.Lifecycle,
	}
	if area, ok := areas[family]; ok {
		return area
	}
	return conformance.Framing
}
