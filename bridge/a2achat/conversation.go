package a2achat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/wire"
)

// conversation is the client's own name for a chat, and where it came from.
type conversation struct {
	id     string
	source source
}

// source says where the id of a conversation stood.
type source string

// The sources, in the order in which they are looked at.
const (
	fromHeader source = "header"
	fromBody   source = "conversation_id"
	fromUser   source = "user"
	minted     source = "minted" // by the bridge, since the request names none
)

// longest is how long an id may be, in bytes. It is a key, and stands in a header.
const longest = 1024

// find returns the conversation that the request belongs to, and the zero value when it
// names none.
func (a *endpoint) find(r *openai.Request) (conversation, error) {
	header := a.config.ConversationIDHeader
	if header == "" {
		header = ConversationHeader
	}
	c := conversation{strings.TrimSpace(r.Header.Get(header)), fromHeader}
	if c.id == "" || isPlaceholder(c.id) {
		id, err := bodyID(r.Body)
		if err != nil {
			return conversation{}, err
		}
		c = conversation{id, fromBody}
	}
	if (c.id == "" || isPlaceholder(c.id)) && or(a.config.UserIsConversation, true) {
		c = conversation{strings.TrimSpace(r.User), fromUser}
	}
	switch {
	case c.id == "" || isPlaceholder(c.id):
		return conversation{}, nil
	case len(c.id) > longest:
		return conversation{}, wrong(string(c.source), "The id of the conversation is longer than %d bytes.", longest)
	}
	return c, nil
}

// bodyID reads the member conversation_id. Some clients count, and write a number.
func bodyID(body json.RawMessage) (string, error) {
	raw := wire.Get(body, "conversation_id")
	if text, ok := wire.Text(raw); ok {
		return strings.TrimSpace(text), nil
	}
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if json.Unmarshal(raw, new(json.Number)) == nil {
		return string(raw), nil
	}
	return "", wrong("conversation_id", "conversation_id is no string.")
}

// isPlaceholder tells whether the client wrote a placeholder of its configuration in
// place of its value. It is the same for everybody, so that all would share one
// conversation.
func isPlaceholder(id string) bool {
	return strings.Contains(id, "{{") && strings.Contains(id, "}}")
}

// scopePrefix begins the names of conversations that belong to somebody.
const scopePrefix = "caller:"

// key names the conversation in the store. Callers with different keys to the bridge
// never share one, whatever ids they send.
func (c conversation) key(agentID, caller string) store.SessionKey {
	name := c.id
	if caller != "" || strings.HasPrefix(name, scopePrefix) {
		name = scopePrefix + caller + "/" + c.id
	}
	return store.SessionKey{Agent: agentID, Conversation: name}
}

// unscope undoes key: it returns the caller and the client's own id.
func unscope(name string) (caller, id string) {
	scoped, ok := strings.CutPrefix(name, scopePrefix)
	if !ok {
		return "", name
	}
	caller, id, ok = strings.Cut(scoped, "/")
	if !ok {
		return "", name
	}
	return caller, id
}

// tell names the conversation in the answer, so that the client can go on with it.
func (c conversation) tell(reply *openai.Reply) {
	if isHeaderValue(c.id) && !strings.ContainsFunc(c.id, func(r rune) bool { return r > '~' }) {
		reply.Header().Set(ConversationHeader, c.id)
	}
	reply.Extra("conversation_id", c.id)
}

// messageID returns the client's id of the message, for the record.
func (a *endpoint) messageID(h http.Header) string {
	if a.config.MessageIDHeader == "" {
		return ""
	}
	id := h.Get(a.config.MessageIDHeader)
	if len(id) > longest {
		return fmt.Sprintf("%s…", id[:longest])
	}
	return id
}
