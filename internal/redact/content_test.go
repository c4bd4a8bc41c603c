package redact

import "testing"

func TestBytes(t *testing.T) {
	tests := map[string]struct{ contentType, in, want string }{
		"JSON":             {"application/json; charset=utf-8", `{"token":"x"}`, `{"token":"«token»"}`},
		"A2A":              {"application/a2a+json", `{"token":"x"}`, `{"token":"«token»"}`},
		"JSON, said text":  {"text/plain", `{"credentials":{"a":"x"}}`, `{"credentials":{"a":"«credential»"}}`},
		"JSON, said none":  {"", `{"credentials":{"a":"x"}}`, `{"credentials":{"a":"«credential»"}}`},
		"broken type":      {"application/json; =", `{"credentials":{"a":"x"}}`, `{"credentials":{"a":"«credential»"}}`},
		"lines":            {"application/x-ndjson", "{\"secret\":{\"a\":\"x\"}}\r\n{\"secret\":[\"y\"]}\n\n", "{\"secret\":{\"a\":\"«secret»\"}}\r\n{\"secret\":[\"«secret»\"]}\n\n"},
		"form":             {"application/x-www-form-urlencoded", "client%5Fsecret=a%20b&grant_type=x&code_verifier=v", "client%5Fsecret=«client_secret»&grant_type=x&code_verifier=«code_verifier»"},
		"text":             {"text/plain", "password=x", "password=«password»"},
		"image":            {"image/png", "\x89PNG\r\n\x1a\n\x00\xff\xfe=:", "\x89PNG\r\n\x1a\n\x00\xff\xfe=:"},
		"empty":            {"application/json", "", ""},
		"events":           {"text/event-stream", "id: 1\nevent: message\ndata: {\"token\":\"x\"}\n\n", "id: 1\nevent: message\ndata: {\"token\":\"«token»\"}\n\n"},
		"several":          {"text/event-stream", "data:{\"secret\":[\"x\"]}\n\n: ping\n\ndata: b\n\n", "data:{\"secret\":[\"«secret»\"]}\n\n: ping\n\ndata: b\n\n"},
		"several lines":    {"text/event-stream", "data: {\"secret\":\r\nid: 7\r\ndata:  [\"x\"]\r\ndata: }\r\n\r\n", "data: {\"secret\":\r\nid: 7\r\ndata:  [\"«secret»\"]\r\ndata: }\r\n\r\n"},
		"CR":               {"text/event-stream", "data: {\"token\":\"x\"}\r\r", "data: {\"token\":\"«token»\"}\r\r"},
		"cut off":          {"text/event-stream", "data: {\"token\":\"x", "data: {\"token\":\"«token»"},
		"fewer lines":      {"text/event-stream", "data: -----BEGIN PRIVATE KEY-----\ndata: x\ndata: -----END PRIVATE KEY-----\ndata: y\n\n", "data: «private_key»\ndata: y\n\n"},
		"comment":          {"text/event-stream", ": password=x\n\n", ": password=«password»\n\n"},
		"no colon":         {"text/event-stream", "data\ndata: a\n\n", "data\ndata: a\n\n"},
		"nothing to do":    {"text/event-stream; charset=utf-8", "data: a\ndata:\ndata: \n\n\n", "data: a\ndata:\ndata: \n\n\n"},
		"end without line": {"text/event-stream", "data: a", "data: a"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := testRedactor()
			got := r.Bytes(tt.contentType, []byte(tt.in))
			if short(got) != tt.want {
				t.Errorf("got  %q\nwant %q", short(got), tt.want)
			}
			if again := r.Bytes(tt.contentType, got); string(again) != string(got) {
				t.Errorf("%q became %q when redacted again", got, again)
			}
		})
	}
}
