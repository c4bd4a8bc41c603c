package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/peerwright/peerwright/internal/wire"
)

// parse reads the body of a chat completion request. It is strict about the members it
// knows, and leaves all others to the backend, in Body. The error is a Failure of
// status 400 that names the member.
//
// https://platform.openai.com/docs/api-reference/chat/create
func parse(body []byte) (*Request, error) {
	r, err := parseBody(body)
	if f, ok := errors.AsType[*flaw](err); ok {
		return nil, f.refused()
	}
	return r, err
}

const sendThis = ` Send {"model": …, "messages": […]}.`

func parseBody(body []byte) (*Request, error) {
	if err := checkJSON(body); err != nil {
		return nil, err
	}
	if bytes.TrimSpace(body)[0] != '{' {
		return nil, malformed("", "The body is no JSON object.%s", sendThis)
	}
	r := &Request{Body: body}
	err := eachIn(body, func(name string, value json.RawMessage) (err error) {
		switch name {
		case "model":
			r.Model, err = asText(value)
		case "user":
			r.User, err = asText(value)
		case "stream":
			r.Stream, err = asBool(value)
		case "stream_options":
			r.IncludeUsage, err = includeUsage(value)
		case "n":
			err = onlyOne(value)
		case "messages":
			r.Messages, err = parseMessages(value)
		}
		return err
	})
	if err == nil && len(r.Messages) == 0 {
		err = malformed("messages", "is missing. Send an array of messages.")
	}
	return r, err
}

// checkJSON tells what keeps body from being JSON at all.
func checkJSON(body []byte) error {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return malformed("", "The body is empty.%s", sendThis)
	case !utf8.Valid(body):
		return malformed("", "The body is no UTF-8, which JSON must be.")
	case wire.Valid(body):
		return nil
	}
	var v json.RawMessage
	err := json.Unmarshal(body, &v)
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return malformed("", "The body is no JSON: %v, at byte %d.", err, at.Offset)
	}
	return malformed("", "The body is no JSON.")
}

// asText returns the string in raw, "" for null.
func asText(raw json.RawMessage) (string, error) {
	if isNull(raw) {
		return "", nil
	}
	if raw[0] != '"' {
		return "", malformed("", "is not a string.")
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil // the body is UTF-8, so there is nothing to decode
	}
	s, _ := wire.Text(raw) // the body is JSON, so a string it is
	return s, nil
}

// asBool returns the boolean in raw, false for null.
func asBool(raw json.RawMessage) (bool, error) {
	switch string(raw) {
	case "true":
		return true, nil
	case "false", "null":
		return false, nil
	}
	return false, malformed("", "is neither true nor false.")
}

func includeUsage(raw json.RawMessage) (include bool, err error) {
	if isNull(raw) {
		return false, nil
	}
	err = eachIn(raw, func(name string, value json.RawMessage) (err error) {
		if name == "include_usage" {
			include, err = asBool(value)
		}
		return err
	})
	return include, err
}

// onlyOne refuses a request for several answers: a client that got one would take it
// for all.
func onlyOne(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil:
		return malformed("", "is not a number.")
	case n != 1:
		return malformed("", "is %s, but one answer is all there is. Leave it out.", raw)
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }
