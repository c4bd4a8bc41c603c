package a2a

import (
	"net"
	"net/url"
)

// DefaultWebhook is a webhook that no agent can reach: .invalid never resolves
// (RFC 6761).
const DefaultWebhook = "https://webhook.invalid/peerwright"

// localWebhook is one that an agent on this machine can look up and not reach: the
// discard port, where hardly anything ever listens, and whatever did would throw away
// what it is sent (RFC 863).
const localWebhook = "http://127.0.0.1:9/peerwright"

// webhooks lists what push configurations are tried with, until the agent takes one.
// Some agents refuse a name that does not resolve, others what is on their own machine.
func (s *Session) webhooks() []string {
	switch {
	case s.target.config.Webhook != "":
		return []string{s.target.config.Webhook}
	case onLoopback(s.conv.client.Interface.URL):
		return []string{localWebhook, DefaultWebhook}
	}
	return []string{DefaultWebhook}
}

func onLoopback(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
