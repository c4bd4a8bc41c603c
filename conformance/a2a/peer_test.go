package a2a

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// The built-in agent is a real peer, on an SDK, that this package knows nothing of.
func TestBuiltInAgentPasses(t *testing.T) {
	for _, d := range []dialect{
		{a2ahttp.V10, a2ahttp.JSONRPC}, {a2ahttp.V10, a2ahttp.HTTPJSON}, {a2ahttp.V03, a2ahttp.JSONRPC},
	} {
		for name, o := range map[string]a2apeer.Options{
			"everything declared": {Step: 20 * time.Millisecond},
			"nothing declared":    {Step: 20 * time.Millisecond, NoPush: true, NoStreaming: true},
		} {
			t.Run(name+" "+d.binding+" "+d.version, func(t *testing.T) {
				server := httptest.NewServer(a2apeer.New(o).Handler(""))
				t.Cleanup(server.Close)
				got, target := examine(t, Config{
					URL: server.URL, Revision: d.version, Binding: d.binding, Webhook: "http://127.0.0.1:9/hook",
				})
				for id, out := range got {
					switch out.Status {
					case reporters.Passed, reporters.NotApplicable:
					case reporters.NotVerified:
						t.Logf("%s is not verified: %s", id, out.Unverified)
					default:
						t.Errorf("%s is %s: %+v", id, out.Status, out.Finding)
					}
				}
				t.Logf("%v", target.Calls())
			})
		}
	}
}
