package wire

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestEachElement(t *testing.T) {
	for _, tc := range []struct {
		raw  string
		want []string
		ok   bool
	}{
		{`[]`, nil, true},
		{` [ ] `, nil, true},
		{`[1]`, []string{"1"}, true},
		{` [1.50 , "a,]" ,{"b":[1]},[ ] , null ] `, []string{"1.50", `"a,]"`, `{"b":[1]}`, "[ ]", "null"}, true},
		{`{}`, nil, false},
		{`"[]"`, nil, false},
		{``, nil, false},
		{`[1`, []string{"1"}, false},
		{`[1]]`, []string{"1"}, false},
		{`[1 2]`, []string{"1"}, false},
	} {
		var got []string
		ok := EachElement([]byte(tc.raw), func(v json.RawMessage) bool {
			got = append(got, string(v))
			return true
		})
		if ok != tc.ok || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, %v; want %q, %v", tc.raw, got, ok, tc.want, tc.ok)
		}
	}
}

func TestEachStopsWhenTold(t *testing.T) {
	n := 0
	if !EachElement([]byte(`[1,2,3]`), func(json.RawMessage) bool { n++; return n < 2 }) || n != 2 {
		t.Errorf("visited %d elements, want 2", n)
	}
	var names []string
	EachMember([]byte(`{"a":1,"b":2,"c":3}`), func(name string, _ json.RawMessage) bool {
		names = append(names, name)
		return name != "b"
	})
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("visited %q, want a and b", names)
	}
}

func FuzzEachElement(f *testing.F) {
	for _, seed := range []string{`[1,"a",{"b":[]}]`, `[]`, `[`, `{"a":1}`, `[1,]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got []json.RawMessage
		ok := EachElement(raw, func(v json.RawMessage) bool {
			got = append(got, v)
			return true
		})
		var want []json.RawMessage
		if !json.Valid(raw) || json.Unmarshal(raw, &want) != nil || want == nil {
			return // nothing is promised but that it comes back
		}
		if !ok || len(got) != len(want) {
			t.Fatalf("%q: %d elements, %v; want %d", raw, len(got), ok, len(want))
		}
		for i := range want {
			if string(got[i]) != string(want[i]) {
				t.Fatalf("%q: element %d is %q, want %q", raw, i, got[i], want[i])
			}
		}
	})
}
