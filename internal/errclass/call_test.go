package errclass

import "testing"

func TestMutatesByAnnotation(t *testing.T) {
	yes, no := true, false
	tests := map[string]struct {
		a    *Annotations
		want bool // of a tool whose name says that it reads, and of one whose name says that it writes
	}{
		"read-only":                {&Annotations{ReadOnlyHint: &yes}, false},
		"not read-only":            {&Annotations{ReadOnlyHint: &no}, true},
		"destructive":              {&Annotations{DestructiveHint: &yes}, true},
		"not destructive":          {&Annotations{DestructiveHint: &no}, true},
		"idempotent":               {&Annotations{IdempotentHint: &yes}, true},
		"read-only and idempotent": {&Annotations{ReadOnlyHint: &yes, IdempotentHint: &yes, DestructiveHint: &yes}, false},
	}
	for name, tt := range tests {
		for _, tool := range []string{"list_items", "delete_item"} {
			if got := Mutates(tool, tt.a); got != tt.want {
				t.Errorf("%s %s: mutates %t", name, tool, got)
			}
		}
	}
}

func TestMutatesByName(t *testing.T) {
	for name, want := range map[string]bool{
		"list_items": false, "get-weather": false, "searchIssues": false, "GetUser": false, "read_file": false,
		"github.list_repos": false, "github/list_repos": false, "mcp__github__list_repos": false, "fetch": false,
		"get_order": false, "list_post_changes": false, "search_and_fetch": false,
		"delete_item": true, "create_issue": true, "updateUser": true, "send": true, "get_or_create_user": true,
		"find_and_replace": true, "list_items.delete": true, "settings_reset": true,
		"search_and": true, "check_out_cart": true, "query": true,
		"weather": true, "echo": true, "listen": true, "getaway": true, "": true, "__": true, "42": true,
	} {
		for _, a := range []*Annotations{nil, {}} {
			if got := Mutates(name, a); got != want {
				t.Errorf("%q mutates: %t, want %t", name, got, want)
			}
		}
	}
}

func TestCallOf(t *testing.T) {
	yes, no := true, false
	for name, tt := range map[string]struct {
		tool  string
		a     *Annotations
		keyed bool
		want  Call
	}{
		"read by name":     {"list_items", nil, false, Call{ReadOnly: true}},
		"mutation":         {"create", nil, false, Call{}},
		"keyed":            {"create", nil, true, Call{Keyed: true}},
		"idempotent":       {"list", &Annotations{IdempotentHint: &yes}, false, Call{Idempotent: true}},
		"not idempotent":   {"create", &Annotations{IdempotentHint: &no}, false, Call{}},
		"read by its hint": {"create", &Annotations{ReadOnlyHint: &yes}, false, Call{ReadOnly: true}},
	} {
		if got := CallOf(tt.tool, tt.a, tt.keyed); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}
