package wire

import "testing"

func TestAppendEvent(t *testing.T) {
	tests := []struct {
		name string
		out  OutEvent
		want string
	}{
		{"nothing", OutEvent{}, "\n"},
		{"data", OutEvent{Data: []byte("{}")}, "data: {}\n\n"},
		{"all", OutEvent{Type: "e", ID: "1", Retry: 5, Data: []byte("x"), Comments: []string{" c"}}, ": c\nevent: e\nid: 1\nretry: 5\ndata: x\n\n"},
		{"empty data", OutEvent{Data: []byte{}}, "data: \n\n"},
		{"empty id and zero retry", OutEvent{HasID: true, HasRetry: true}, "id: \nretry: 0\n\n"},
		{"negative retry", OutEvent{Retry: -1}, "\n"},
		{"negative retry all the same", OutEvent{Retry: -1, HasRetry: true}, "retry: 0\n\n"},
		{"leading space kept", OutEvent{Type: " e", ID: " 1", Data: []byte(" x")}, "event:  e\nid:  1\ndata:  x\n\n"},
		{"lines", OutEvent{Data: []byte("a\nb\r\nc\rd\n\re\r\n")}, "data: a\ndata: b\ndata: c\ndata: d\ndata: \ndata: e\ndata: \n\n"},
		{"no other line ends", OutEvent{Data: []byte("a\v\u2028b")}, "data: a\v\u2028b\n\n"},
		{"comment of lines", OutEvent{Comments: []string{"a\nb\r", ""}}, ":a\n:b\n:\n:\n\n"},
		{"line end in a type", OutEvent{Type: "e\ndata: forged", Data: []byte("x")}, "data: x\n\n"},
		{"line end in an id", OutEvent{ID: "1\rretry: 0", HasID: true, Data: []byte("x")}, "data: x\n\n"},
		{"NUL in an id", OutEvent{ID: "\x00", Data: []byte("x")}, "data: x\n\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(AppendEvent([]byte("before"), test.out)); got != "before"+test.want {
				t.Errorf("got %q, want %q after what was there", got, test.want)
			}
		})
	}
}
