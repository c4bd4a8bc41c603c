package live_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// model is an OpenAI-compatible model server that calls two tools at once, and then tells
// what they gave.
type model struct{ calls string } // as they stand in a message

const twoCalls = `[{"id":"m1","type":"function","function":{"name":"list_repos","arguments":"{\"org\":\"acme\"}"}},` +
	`{"id":"m2","type":"function","function":{"name":"get_weather","arguments":""}}]`

// serve serves it on a URL, up to and with /v1, until the test ends.
func (m model) serve(t testing.TB) string {
	t.Helper()
	web := httptest.NewServer(m)
	t.Cleanup(web.Close)
	return web.URL + "/v1"
}

func (m model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/models") {
		io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"test"}]}`)
		return
	}
	message, finish := m.say(body)
	head := `"id":"c1","created":1,"model":"m"`
	if string(wire.Get(body, "stream")) == "true" {
		w.Header().Set("Content-Type", "text/event-stream")
		delta := message
		for i := range 2 { // a call of a stream has its number
			delta = strings.Replace(delta, fmt.Sprintf(`{"id":"m%d"`, i+1), fmt.Sprintf(`{"index":%d,"id":"m%d"`, i, i+1), 1)
		}
		fmt.Fprintf(w, "data: {%s,\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", head, delta)
		fmt.Fprintf(w, "data: {%s,\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", head, finish)
		return
	}
	fmt.Fprintf(w, `{%s,"object":"chat.completion","choices":[{"index":0,"message":%s,"finish_reason":%q}]}`, head, message, finish)
}

// say is the message of the model: calls at first, and then what it was told of them.
func (m model) say(body []byte) (message, finish string) {
	var results []string
	wire.EachElement(wire.Get(body, "messages"), func(v json.RawMessage) bool {
		if role, _ := wire.Text(wire.Get(v, "role")); role == "tool" {
			content, _ := wire.Text(wire.Get(v, "content"))
			results = append(results, content)
		}
		return true
	})
	if len(results) == 0 && wire.Get(body, "tools") != nil {
		return `{"role":"assistant","content":null,"tool_calls":` + m.calls + `}`, "tool_calls"
	}
	text := fmt.Sprintf("%d results, %d repositories, and it is fine: %v", len(results), strings.Count(strings.Join(results, ""), `"name":"repo-`), strings.Contains(strings.Join(results, ""), "fine"))
	return `{"role":"assistant","content":` + string(wire.Quote(text)) + `}`, "stop"
}
