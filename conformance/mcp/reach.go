package mcp

import (
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/dial"
)

// AtURL returns a Config that reaches the server at a URL: http or https (Streamable
// HTTP, or HTTP+SSE where that is all there is), ws or wss. The header is sent with
// every request; nil sends none. The error says what is wrong with the URL.
func AtURL(url string, header http.Header) (Config, error) {
	return reach(dial.Target{URL: url, Header: header}, url)
}

// AtCommand returns a Config that starts the server and speaks with it over its
// standard streams.
func AtCommand(args ...string) (Config, error) {
	name := ""
	if len(args) > 0 {
		name = args[0] // the arguments may hold secrets
	}
	return reach(dial.Target{Command: args}, name)
}

func reach(t dial.Target, name string) (Config, error) {
	way, err := dial.Resolve(t)
	if err != nil {
		return Config{}, err
	}
	return Config{Dial: way.Dial, Older: way.Older, Transport: way.Transport, Name: name, Now: time.Now}, nil
}
