// Package recorder stands between a client and a peer and writes what passes into a
// fixture. There is a tap for a stdio server (Stdio), a reverse proxy for HTTP
// (Proxy), and an http.RoundTripper for a Go client (RoundTripper); each hands its
// frames to a Recorder, which takes the secrets out before anything reaches the
// disk. Traffic never waits for the recorder.
//
// It imports fixtures and internal packages.
package recorder
