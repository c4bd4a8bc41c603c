package mcpschema

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed schemas/*.json
var documents embed.FS

// book holds the compiled schemas of one revision, by table and name.
type book map[string]map[string]*jsonschema.Schema

// books hold one book a revision, compiled when first asked for.
var books = shelve("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")

func shelve(revisions ...string) map[string]func() book {
	shelf := map[string]func() book{}
	for _, revision := range revisions {
		shelf[revision] = sync.OnceValue(func() book {
			b, err := compile(revision)
			if err != nil {
				panic(fmt.Sprintf("the built-in schemas of %s cannot be used: %v", revision, err)) // the tests compile all
			}
			return b
		})
	}
	return shelf
}

// find returns nil where there is no such schema.
func find(revision, table, name string) *jsonschema.Schema {
	open, ok := books[revision]
	if !ok {
		return nil
	}
	return open()[table][name]
}

// compile makes the book of one revision.
func compile(revision string) (book, error) {
	doc, err := document(revision)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("writing the schemas: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.Draft, c.LoadURL = jsonschema.Draft2020, refuseToLoad
	c.RegisterExtension("format", nil, formats{})
	base := "peerwright:///mcp/" + revision
	if err := c.AddResource(base, bytes.NewReader(raw)); err != nil {
		return nil, fmt.Errorf("reading the schemas: %w", err)
	}
	b := book{}
	for _, table := range []string{results, notifications, faults} {
		b[table] = map[string]*jsonschema.Schema{}
		entries, _ := doc[table].(map[string]any)
		for name := range entries {
			at := base + "#/" + table + "/" + strings.ReplaceAll(name, "/", "~1")
			if b[table][name], err = c.Compile(at); err != nil {
				return nil, fmt.Errorf("compiling %s: %w", at, err)
			}
		}
	}
	return b, nil
}

// document composes the embedded documents for one revision into one.
func document(revision string) (map[string]any, error) {
	files, err := fs.Glob(documents, "schemas/*.json")
	if err != nil {
		return nil, err
	}
	whole, defs := map[string]any{}, map[string]any{}
	for _, file := range files {
		part, err := read(file, revision)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		some, _ := part["$defs"].(map[string]any)
		maps.Copy(defs, some)
		maps.Copy(whole, part)
	}
	whole["$schema"], whole["$defs"] = "https://json-schema.org/draft/2020-12/schema", defs
	return whole, nil
}

func read(file, revision string) (map[string]any, error) {
	raw, err := documents.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	composed, _ := composeObject(doc, revision)
	part, _ := composed.(map[string]any)
	return part, nil
}

// refuseToLoad keeps the validator off the network and the disk.
func refuseToLoad(url string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("%s is not built in", url)
}
