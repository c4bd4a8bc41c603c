package mcpschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// verdict is one instance, and where it is wrong in each revision of a range; "ok"
// where it is right.
type verdict struct {
	method   string
	instance string
	from, to string // revisions; "" is the first and the last
	at       string
}

// right is where nothing is wrong; top is the value as a whole.
const (
	right = "ok"
	top   = ""
)

// run judges each instance in each revision of its range. In 2026-07-28 results get
// the members that every one must have there, unless they name them themselves.
func run(t *testing.T, table []verdict) {
	t.Helper()
	for _, v := range table {
		judged := 0
		for _, revision := range revisions() {
			if v.from > revision || v.to != "" && v.to < revision || !Known(revision, v.method) {
				continue
			}
			judged++
			if got := where(t, revision, v); got != v.at {
				t.Errorf("%s %s: %s\nis wrong at %q, wanted %q", revision, v.method, v.instance, got, v.at)
			}
		}
		if judged == 0 {
			t.Errorf("%s from %q to %q: judged in no revision", v.method, v.from, v.to)
		}
	}
}

func where(t *testing.T, revision string, v verdict) string {
	t.Helper()
	var err error
	if strings.HasPrefix(v.method, "notifications/") {
		err = Notification(revision, v.method, []byte(v.instance))
	} else {
		err = Result(revision, v.method, completed(revision, v.instance))
	}
	var e *Error
	switch {
	case err == nil:
		return right
	case errors.As(err, &e):
		return e.Path
	}
	t.Fatalf("%v is no *Error", err)
	return ""
}

func completed(revision, instance string) []byte {
	if revision < rev2607 || !strings.HasPrefix(instance, "{") || strings.Contains(instance, "resultType") {
		return []byte(instance)
	}
	common := `{"resultType":"complete","ttlMs":0,"cacheScope":"private"`
	if rest := instance[1:]; rest != "}" {
		return []byte(common + "," + rest)
	}
	return []byte(common + "}")
}

// listed is a list of one item: what makes it good, and more.
func listed(member, good, more string) string {
	return fmt.Sprintf(`{%q:[{%s%s}]}`, member, good, more)
}

func tool(more string) string {
	return listed("tools", `"name":"a","inputSchema":{"type":"object"}`, more)
}

func content(block string) string { return `{"content":[` + block + `]}` }

func message(block string) string {
	return `{"messages":[{"role":"user","content":` + block + `}]}`
}

func contents(block string) string { return `{"contents":[` + block + `]}` }

func rawDocuments(t *testing.T) map[string]map[string]any {
	t.Helper()
	files, err := fs.Glob(documents, "schemas/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents: %v", len(files), err)
	}
	all := map[string]map[string]any{}
	for _, file := range files {
		raw, err := documents.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[file] = doc
	}
	return all
}
