package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// Bounds on what is made up.
const (
	maxDepth      = 12      // of objects and lists in each other
	maxCandidates = 24      // kept for one place
	maxTried      = 200     // held against the whole schema
	maxMade       = 1 << 12 // characters of one string
	maxItems      = 64
	maxMakerSteps = 20_000
)

// Arguments makes up the smallest arguments that a tool's input schema accepts:
// its required members only, with the values that the schema names itself (const,
// default, examples, enum) or plain ones of the type it asks for.
//
// What is returned was validated against the schema, by the dialect that it
// declares (2020-12 when it declares none) and with formats asserted. The error
// says why none could be made up. Nothing outside the schema is fetched.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool
func Arguments(inputSchema json.RawMessage) (json.RawMessage, error) {
	compiled, err := readSchema(inputSchema)
	if err != nil {
		return nil, err
	}
	m := &maker{root: compiled.doc, steps: maxMakerSteps}
	last := errors.New("nothing of the type that it asks for could be made up")
	for i, value := range m.values([]any{compiled.doc}, 0) {
		if i == maxTried || errors.Is(last, errTooCostly) {
			break
		}
		if _, object := value.(map[string]any); !object {
			continue
		}
		raw, err := wire.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("writing the arguments: %w", err)
		}
		if last = compiled.checkOn(raw); last == nil {
			return raw, nil
		}
	}
	return nil, fmt.Errorf("no arguments could be made up for its input schema: %w", last)
}

func readSchema(raw json.RawMessage) (*schema, error) {
	if raw == nil {
		return nil, errors.New("it has no input schema")
	}
	return compileSchema(raw, true)
}

// InvalidArguments makes up arguments that differ from good ones in one thing, and
// that the schema rejects for it. what names the thing: it ends the sentence
// "arguments …". ok is false when good ones cannot be made up, or when the schema
// leaves nothing to do wrong.
func InvalidArguments(inputSchema json.RawMessage) (args json.RawMessage, what string, ok bool) {
	good, err := Arguments(inputSchema)
	if err != nil {
		return nil, "", false
	}
	compiled, err := readSchema(inputSchema)
	if err != nil {
		return nil, "", false
	}
	members, err := wire.Members(good)
	if err != nil {
		return nil, "", false
	}
	rejected := func(raw json.RawMessage) bool {
		err := compiled.checkOn(raw)
		return err != nil && !errors.Is(err, errTooCostly)
	}
	if raw, what, ok := lacking(compiled.doc, members, rejected); ok {
		return raw, what, true
	}
	return mistyped(compiled.doc, members, rejected)
}

// lacking leaves out a required member. One with a default is no good for that: a
// server may well fill it in.
func lacking(root any, members []wire.Member, rejected func(json.RawMessage) bool) (json.RawMessage, string, bool) {
	for i, m := range members {
		if _, filled := property(root, m.Name)["default"]; filled {
			continue
		}
		raw := wire.Object(slices.Delete(slices.Clone(members), i, i+1))
		if rejected(raw) {
			return raw, fmt.Sprintf("without the required member %q", m.Name), true
		}
	}
	return nil, "", false
}

// mistyped gives one member a value of another type: an object or a list where a
// scalar is asked for, which no server takes for a sloppy spelling of the right one.
func mistyped(root any, members []wire.Member, rejected func(json.RawMessage) bool) (json.RawMessage, string, bool) {
	for _, name := range memberNames(root, members) {
		for _, wrong := range []string{`{"not":"this"}`, `["not this"]`, `"not this"`} {
			raw := wire.Object(setMember(members, name, json.RawMessage(wrong)))
			if rejected(raw) {
				return raw, fmt.Sprintf("with a value of the wrong type in member %q", name), true
			}
		}
	}
	return nil, "", false
}

// memberNames lists the members that are there, then those that the schema names.
func memberNames(root any, members []wire.Member) []string {
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	for _, name := range sortedKeys(member(root, "properties")) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// property returns what the schema says of one member; nil when it says nothing.
func property(root any, name string) map[string]any {
	said, _ := member(member(root, "properties"), name).(map[string]any)
	return said
}

func setMember(members []wire.Member, name string, value json.RawMessage) []wire.Member {
	out := slices.Clone(members)
	for i := range out {
		if out[i].Name == name {
			out[i].Value = value
			return out
		}
	}
	return append(out, wire.Member{Name: name, Value: value})
}

// OtherArguments makes up arguments that the schema accepts too and that are not the
// given ones; nil where none could be made up.
func OtherArguments(inputSchema, args json.RawMessage) json.RawMessage {
	compiled, err := readSchema(inputSchema)
	if err != nil {
		return nil
	}
	members, err := wire.Members(args)
	if err != nil {
		return nil
	}
	for _, name := range memberNames(compiled.doc, members) {
		for _, other := range []string{`"another"`, `"2"`, `2`, `3`, `0.5`, `true`, `false`} {
			raw := wire.Object(setMember(members, name, json.RawMessage(other)))
			if !bytes.Equal(raw, args) && compiled.checkOn(raw) == nil {
				return raw
			}
		}
	}
	return nil
}
