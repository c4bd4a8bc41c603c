// Package config reads peerwright.yaml strictly: a key that nothing knows, or a
// value of the wrong kind, is an error that names the file, the line, the path and
// the valid choices. Secrets never stand in the file; keys that end in _env hold
// the name of an environment variable.
//
// It knows no command's section; each command decodes its own. It imports nothing
// of this module.
package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FileName is the configuration file that is read when it stands in the folder.
const FileName = "peerwright.yaml"

// Error says what is wrong in a configuration file, and where.
type Error struct {
	File string
	Line int
	Path string // such as report.targets[0].mcp; an item with an id is named by it, as in agents[helper].on_error
	What string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
	}
	return fmt.Sprintf("%s:%d: %s: %s", e.File, e.Line, e.Path, e.What)
}

// Load reads the file into the struct that into points to. Members take their key
// from the yaml tag. The error is an *Error, or says that the file cannot be read.
func Load(file string, into any) error {
	top, err := read(file)
	if err != nil || top == nil { // an empty file chooses nothing
		return err
	}
	return decode(file, "", top, reflect.ValueOf(into).Elem())
}

// Keys lists the keys at the top of the file, in their order.
func Keys(file string) ([]string, error) {
	top, err := read(file)
	if err != nil || top == nil || top.Kind != yaml.MappingNode {
		return nil, err
	}
	var keys []string
	for i := 0; i+1 < len(top.Content); i += 2 {
		keys = append(keys, top.Content[i].Value)
	}
	return keys, nil
}

// read parses the file; nil when it is empty.
func read(file string) (*yaml.Node, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// decode walks node and value together, so that every complaint has its place.
func decode(file, path string, node *yaml.Node, into reflect.Value) error {
	fault := func(format string, args ...any) error {
		return &Error{file, node.Line, path, fmt.Sprintf(format, args...)}
	}
	if node.Kind == yaml.AliasNode {
		return decode(file, path, node.Alias, into)
	}
	switch {
	case into.Kind() == reflect.Pointer && node.Tag == "!!null":
		return nil // "key:" with nothing after it chooses nothing
	case into.Kind() == reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return decode(file, path, node, into.Elem())
	case into.Kind() == reflect.Struct:
		return decodeStruct(file, path, node, into)
	case into.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		return decodeSlice(file, path, node, into)
	}
	if err := node.Decode(into.Addr().Interface()); err != nil {
		return fault("%s", plain(err, into.Type()))
	}
	return nil
}

func decodeStruct(file, path string, node *yaml.Node, into reflect.Value) error {
	if node.Kind != yaml.MappingNode {
		return &Error{file, node.Line, path, "must be a mapping with the keys " + choices(into.Type())}
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		at := join(path, key.Value)
		field, ok := member(into, key.Value)
		if !ok {
			return &Error{file, key.Line, at, "unknown key; the keys here are " + choices(into.Type())}
		}
		if seen[key.Value] {
			return &Error{file, key.Line, at, "the key stands twice"}
		}
		seen[key.Value] = true
		if err := decode(file, at, value, field); err != nil {
			return err
		}
	}
	return nil
}

func decodeSlice(file, path string, node *yaml.Node, into reflect.Value) error {
	items := reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content))
	for i, item := range node.Content {
		if err := decode(file, fmt.Sprintf("%s[%s]", path, label(item, i)), item, items.Index(i)); err != nil {
			return err
		}
	}
	into.Set(items)
	return nil
}

// label names an item of a list by its id where it has one, and else by its index.
func label(item *yaml.Node, index int) string {
	for i := 0; item.Kind == yaml.MappingNode && i+1 < len(item.Content); i += 2 {
		if id := item.Content[i+1]; item.Content[i].Value == "id" && id.Kind == yaml.ScalarNode && id.Value != "" {
			return id.Value
		}
	}
	return strconv.Itoa(index)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func member(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == key {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func choices(t reflect.Type) string {
	var keys []string
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("yaml"))
	}
	return strings.Join(keys, ", ")
}

// plain puts the decoder's complaint into our words, without its own line number.
func plain(err error, want reflect.Type) string {
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		return "must be a " + kind(want)
	}
	return err.Error()
}

func kind(t reflect.Type) string {
	switch {
	case t.String() == "time.Duration":
		return "duration such as 10s"
	case t.Kind() == reflect.Slice:
		return "list"
	case t.Kind() == reflect.Map:
		return "mapping"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "text"
	}
	return "number"
}
