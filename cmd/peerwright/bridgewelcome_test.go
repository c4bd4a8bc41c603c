package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/redact"
)

// What a peer says of itself does not move the cursor of whoever starts the bridge.
func TestPeersAreToldInPlainText(t *testing.T) {
	var web *httptest.Server
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"protocolVersion":"0.3.0","name":"\u001b[2Jhelper\u202e","description":"x","version":"1\u0007","url":%q,
			"preferredTransport":"JSONRPC","capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],"skills":[]}`, web.URL)
	}))
	defer web.Close()
	red := redact.New([]byte("key"))
	config := bridge.Config{Agents: []a2achat.AgentConfig{{ID: "one", CardURL: web.URL + "/.well-known/agent-card.json"}}}
	b, err := bridge.Open(t.Context(), config, bridge.Env{
		Lookup: func(string) (string, bool) { return "", false },
		Now:    time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Redact: red, Version: "1",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close(t.Context())
	if away := b.Start(t.Context()); len(away) != 0 {
		t.Fatal(away)
	}
	var out bytes.Buffer
	(&bridgeCommand{red: red}).peers(page{&out}, b, config)
	if text := out.String(); !strings.Contains(text, "helper") || strings.ContainsAny(text, "\x1b\x07\u202e") {
		t.Errorf("%q", text)
	}
}
