package rawjson

import "testing"

func TestEdits(t *testing.T) {
	up := func(b []byte) []byte { return With(b, "x", []byte("2")) }
	tests := []struct{ name, got, want string }{
		{"replaces in place", string(With([]byte(`{"a":1,"x":1,"b":1.0}`), "x", []byte("2"))), `{"a":1,"x":2,"b":1.0}`},
		{"adds at the end", string(With([]byte(`{"a":9007199254740993}`), "x", []byte(`"y"`))), `{"a":9007199254740993,"x":"y"}`},
		{"leaves what is no object", string(With([]byte(`[1]`), "x", []byte("2"))), `[1]`},
		{"removes", string(Without([]byte(`{"a":1,"x":1}`), "x")), `{"a":1}`},
		{"removes nothing", string(Without([]byte(`{"a":1}`), "x")), `{"a":1}`},
		{"goes in", string(Within([]byte(`{"p":{"q":{"x":1}}}`), up, "p", "q")), `{"p":{"q":{"x":2}}}`},
		{"stays out", string(Within([]byte(`{"p":{}}`), up, "p", "q")), `{"p":{}}`},
		{"joins", string(Array([][]byte{[]byte("1.0"), []byte(`"a"`)})), `[1.0,"a"]`},
		{"joins nothing", string(Array(nil)), `[]`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
