package mcpschema

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	rev2024 = "2024-11-05"
	rev2503 = "2025-03-26"
	rev2506 = "2025-06-18"
	rev2511 = "2025-11-25"
	rev2607 = "2026-07-28"
)

func revisions() []string { return slices.Sorted(maps.Keys(books)) }

func TestEverySchemaCompiles(t *testing.T) {
	want := map[string][3]int{ // results, notifications, errors
		rev2024: {13, 7, 0}, rev2503: {13, 7, 0}, rev2506: {13, 7, 0}, rev2511: {17, 9, 1}, rev2607: {10, 8, 2},
	}
	for _, revision := range revisions() {
		b, err := compile(revision)
		if err != nil {
			t.Errorf("%s: %v", revision, err)
		}
		if got := [3]int{len(b[results]), len(b[notifications]), len(b[faults])}; got != want[revision] {
			t.Errorf("%s has %v schemas, not %v", revision, got, want[revision])
		}
	}
}

// A mark that no revision has, or one out of order, would hide a schema for ever.
func TestMarksAreRevisions(t *testing.T) {
	known := revisions()
	var look func(any)
	look = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, n := range node {
				look(n)
			}
		case map[string]any:
			first, last := known[0], known[len(known)-1]
			if s, ok := node[since].(string); ok {
				first = s
			}
			if u, ok := node[until].(string); ok {
				last = u
			}
			if !slices.Contains(known, first) || !slices.Contains(known, last) || first > last {
				t.Errorf("a schema from %s to %s", first, last)
			}
			for _, n := range node {
				look(n)
			}
		}
	}
	for _, doc := range rawDocuments(t) {
		look(doc)
	}
}

func TestKnown(t *testing.T) {
	for _, c := range []struct {
		revision, method string
		want             bool
	}{
		{rev2024, "initialize", true},
		{rev2511, "initialize", true},
		{rev2607, "initialize", false},
		{rev2511, "server/discover", false},
		{rev2607, "server/discover", true},
		{rev2607, "ping", false},
		{rev2506, "tasks/get", false},
		{rev2511, "tasks/get", true},
		{rev2607, "tasks/get", false},
		{rev2024, "notifications/progress", true},
		{rev2511, "notifications/subscriptions/acknowledged", false},
		{rev2511, "no/such", false},
		{rev2511, "", false},
		{"2023-01-01", "ping", false},
		{"", "ping", false},
	} {
		if got := Known(c.revision, c.method); got != c.want {
			t.Errorf("Known(%q, %q) is %v", c.revision, c.method, got)
		}
	}
	if !KnownFailure(rev2607, -32022) || KnownFailure(rev2511, -32022) || KnownFailure(rev2607, -32602) || !KnownFailure(rev2511, -32042) {
		t.Error("KnownFailure knows others than the revisions have")
	}
}

func TestWhatCannotBeJudgedIsNotWrong(t *testing.T) {
	for name, err := range map[string]error{
		"unknown method":       Result(rev2511, "no/such", []byte("5")),
		"unknown revision":     Result("1999-01-01", "ping", []byte("5")),
		"unknown notification": Notification(rev2511, "notifications/no/such", []byte("5")),
		"unknown code":         Failure(rev2607, -32602, []byte("5")),
		"too large":            Result(rev2511, "tools/list", []byte(`"`+strings.Repeat("x", MaxBytes)+`"`)),
		"a vast exponent":      Result(rev2511, "tools/list", []byte(`{"tools":1e99999999}`)),
		"vast digits":          Result(rev2511, "tools/list", []byte(`{"tools":[{"x":`+strings.Repeat("9", 400)+`}]}`)),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsSayWhereAndWhat(t *testing.T) {
	for _, c := range []struct {
		err        error
		path, text string
	}{
		{Result(rev2511, "prompts/list", []byte(`[]`)), "", "expected object, but got array"},
		{Result(rev2511, "prompts/list", []byte(`{`)), "", "it is not JSON: unexpected EOF"},
		{Result(rev2511, "prompts/list", []byte(`{} {}`)), "", "it is more than one JSON value"},
		{Result(rev2511, "prompts/list", nil), "", "it is not JSON: EOF"},
		{
			Result(rev2511, "tools/list", []byte(`{"tools":[{"name":1},{"inputSchema":{"type":"object"}}]}`)),
			"/tools/0", "at /tools/0: missing properties: 'inputSchema'",
		},
		{
			Result(rev2511, "prompts/get", []byte(`{"messages":[{"role":"system","content":{"type":"text","text":""}}]}`)),
			"/messages/0/role", `at /messages/0/role: value must be one of "user", "assistant", but it is "system"`,
		},
		{
			Result(rev2607, "tools/call", []byte(`{"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":"me"}}`)),
			"/_meta/io.modelcontextprotocol~1serverInfo", "at /_meta/io.modelcontextprotocol~1serverInfo: expected object, but got string",
		},
		{
			Result(rev2607, "tools/call", []byte(`{"resultType":"input_required","inputRequests":{"a b/%":{"method":"x"}}}`)),
			"/inputRequests/a b~1%/method",
			`at /inputRequests/a b~1%/method: value must be one of "elicitation/create", "sampling/createMessage", "roots/list", but it is "x"`,
		},
		{
			Result(rev2511, "resources/read", []byte(`{"contents":[{"uri":"a:b"}]}`)),
			"/contents/0", "at /contents/0: missing properties: 'text', or missing properties: 'blob'",
		},
		{
			Notification(rev2511, "notifications/progress", nil),
			"", "missing properties: 'progressToken', 'progress'",
		},
	} {
		var e *Error
		if !errors.As(c.err, &e) {
			t.Errorf("%v is no *Error; wanted %q", c.err, c.text)
			continue
		}
		if e.Path != c.path || e.Error() != c.text {
			t.Errorf("path %q, text %q; wanted %q, %q", e.Path, e, c.path, c.text)
		}
	}
}

// What a peer sends cannot make the texts long.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("é", 10_000)
	for _, err := range []error{
		Result(rev2511, "prompts/list", []byte(`{"prompts":[{"name":"p","icons":[{"src":"`+long+`"}]}]}`)),
		Result(rev2607, "tools/list", []byte(`{"resultType":"`+long+`"}`)),
		Result(rev2607, "tools/call", []byte(`{"resultType":"input_required","inputRequests":{"`+long+`":5}}`)),
		Result(rev2511, "prompts/get", []byte(`{"messages":[{"role":"`+long+`","content":{"type":"text","text":""}}]}`)),
	} {
		if err == nil || len(err.Error()) > 2*maxText+20 {
			t.Errorf("%d bytes: %.300v", len(err.Error()), err)
		}
	}
}

func TestTheSameFaultIsToldEachTime(t *testing.T) {
	bad := []byte(`{"tools":[{"title":1,"name":2,"description":3,"inputSchema":4,"annotations":5},{"title":1}]}`)
	first := Result(rev2511, "tools/list", bad)
	for range 20 {
		if again := Result(rev2511, "tools/list", bad); again.Error() != first.Error() {
			t.Fatalf("once %q, once %q", first, again)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	var all sync.WaitGroup
	for _, revision := range revisions() {
		for range 4 {
			all.Go(func() {
				if err := Result(revision, "prompts/get", []byte(`{"messages":5,"resultType":"complete"}`)); err == nil {
					t.Errorf("%s: messages are 5", revision)
				}
			})
		}
	}
	all.Wait()
}

func FuzzResult(f *testing.F) {
	f.Add("tools/call", []byte(`{"content":[{"type":"text","text":"x"}],"resultType":"complete"}`))
	f.Add("tools/list", []byte(`{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":null}`))
	f.Add("prompts/get", []byte(`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`))
	f.Add("completion/complete", []byte(`{"completion":{"values":[],"total":1e-999}}`))
	f.Fuzz(func(t *testing.T, method string, raw []byte) {
		for _, revision := range revisions() {
			err := Result(revision, method, raw)
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.Message == "") {
				t.Errorf("%v is no *Error", err)
			}
		}
	})
}
