package errclass

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

func TestCodesOfMCP(t *testing.T) {
	for code, want := range map[int]verdict{
		-32700: {InvalidArgs, NotRun}, -32600: {InvalidArgs, NotRun}, -32601: {NotFound, NotRun}, -32602: {InvalidArgs, NotRun},
		-32603: {Transient, Failed}, -32002: {NotFound, NotRun}, -32042: {Permission, NotRun}, -32020: {InvalidArgs, NotRun},
		-32021: {InvalidArgs, NotRun}, -32022: {InvalidArgs, NotRun}, -1: {Permission, NotRun},
		-32000: {Transient, Failed}, -32001: {Transient, Failed}, -32003: {Transient, Failed}, -32019: {Transient, Failed},
		-31401: {Transient, Failed}, 0: {Transient, Failed}, 42: {Transient, Failed}, 404: {Transient, Failed},
	} {
		e := FromMCP(code, "anything: not found, timeout, 429", nil, now, read)
		if got := (verdict{e.Class, e.Context.Outcome}); got != want || e.Context.UpstreamCode != code {
			t.Errorf("%d is %v, code %d, want %v", code, got, e.Context.UpstreamCode, want)
		}
	}
}

func TestCodesOfA2A(t *testing.T) {
	for code, want := range map[int]verdict{
		-32700: {InvalidArgs, NotRun}, -32600: {InvalidArgs, NotRun}, -32601: {NotFound, NotRun}, -32602: {InvalidArgs, NotRun},
		-32603: {Transient, Failed}, -32001: {NotFound, NotRun}, -32002: {Conflict, NotRun}, -32003: {NotFound, NotRun},
		-32004: {NotFound, NotRun}, -32005: {InvalidArgs, NotRun}, -32006: {Transient, Failed}, -32007: {NotFound, NotRun},
		-32008: {InvalidArgs, NotRun}, -32009: {InvalidArgs, NotRun}, -31401: {Auth, NotRun}, -31403: {Permission, NotRun},
		-32000: {Transient, Failed}, -32042: {Transient, Failed}, -1: {Transient, Failed},
	} {
		e := FromA2A(code, "m", nil, now, read)
		if got := (verdict{e.Class, e.Context.Outcome}); got != want || e.Message != "m" {
			t.Errorf("%d is %v, want %v", code, got, want)
		}
	}
}

func TestDataOfErrors(t *testing.T) {
	tests := map[string]struct {
		code int
		data string
		want Class
		wait time.Duration // 0 if none is asked for
	}{
		"none":                  {-32603, ``, Transient, 0},
		"null":                  {-32603, `null`, Transient, 0},
		"text says nothing":     {-32603, `"rate limit exceeded, status 429"`, Transient, 0},
		"message says nothing":  {-32603, `{"message":"not found","detail":"401"}`, Transient, 0},
		"status":                {-32603, `{"status":404}`, NotFound, 0},
		"status code":           {-32000, `{"statusCode":401}`, Auth, 0},
		"code":                  {-32000, `{"code":403}`, Permission, 0},
		"no such status":        {-32000, `{"status":200,"code":-1}`, Transient, 0},
		"status of wrong type":  {-32000, `{"status":{"a":1},"http_status":409}`, Conflict, 0},
		"canonical":             {-32000, `{"status":"UNAUTHENTICATED"}`, Auth, 0},
		"our envelope":          {-32000, `{"error":{"class":"conflict","code":500}}`, Conflict, 0},
		"inner first":           {-32000, `{"status":500,"error":{"status":404}}`, NotFound, 0},
		"wait":                  {-32603, `{"status":429,"retryAfter":2}`, RateLimit, 2 * time.Second},
		"wait in ms":            {-32603, `{"status":503,"retry_after_ms":250}`, Transient, 250 * time.Millisecond},
		"wait as text":          {-32603, `{"retry_after":"1.5"}`, RateLimit, 1500 * time.Millisecond},
		"only a wait":           {-32023, `{"retryAfter":4}`, RateLimit, 4 * time.Second},
		"wait of no use":        {-32603, `{"status":404,"retryAfter":2}`, NotFound, 0},
		"negative wait":         {-32603, `{"retryAfter":-2}`, Transient, 0},
		"code that means much":  {-32602, `{"status":429}`, InvalidArgs, 0},
		"details":               {-32603, `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]`, NotFound, 0},
		"retry info":            {-32603, `[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.5s"}]`, RateLimit, 3500 * time.Millisecond},
		"retry info and reason": {-32603, `[{"reason":"INVALID_AGENT_RESPONSE"},{"retryDelay":"1s"}]`, Transient, time.Second},
		"broken":                {-32603, `{"status":429`, Transient, 0},
		"too deep":              {-32603, `{"error":{"error":{"error":{"error":{"status":429}}}}}`, Transient, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := FromMCP(tt.code, "", json.RawMessage(tt.data), now, read)
			if e.Class != tt.want {
				t.Errorf("%s, want %s", e.Class, tt.want)
			}
			if asked := !e.Context.ResetAt.IsZero(); asked != (tt.wait > 0) || asked && e.SuggestedBackoff != tt.wait {
				t.Errorf("backoff %s, reset at %s", e.SuggestedBackoff, e.Context.ResetAt)
			}
		})
	}
}

func TestFromIsError(t *testing.T) {
	tests := map[string]struct {
		result string
		want   verdict
		code   int
	}{
		"text only":         {`{"isError":true,"content":[{"type":"text","text":"{\"status\":429} rate limit"}]}`, verdict{InvalidArgs, Failed}, 0},
		"status":            {`{"isError":true,"structuredContent":{"error":{"status":429}}}`, verdict{RateLimit, NotRun}, 429},
		"class":             {`{"isError":true,"structuredContent":{"class":"transient"}}`, verdict{Transient, Failed}, 0},
		"meta":              {`{"isError":true,"_meta":{"status":"NOT_FOUND"}}`, verdict{NotFound, NotRun}, 0},
		"content over meta": {`{"structuredContent":{"status":404},"_meta":{"status":409}}`, verdict{NotFound, NotRun}, 404},
		"broken":            {`{`, verdict{InvalidArgs, Failed}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := FromIsError(json.RawMessage(tt.result), "m", now, read)
			if got := (verdict{e.Class, e.Context.Outcome}); got != tt.want || e.Context.UpstreamCode != tt.code || e.Message != "m" {
				t.Errorf("%v, code %d, want %v, %d", got, e.Context.UpstreamCode, tt.want, tt.code)
			}
		})
	}
}

func TestFromA2AREST(t *testing.T) {
	info := func(status, reason string) string {
		return `{"error":{"code":400,"status":"` + status + `","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + reason + `","domain":"a2a-protocol.org"}]}}`
	}
	tests := map[string]struct {
		status int
		body   string
		want   Class
	}{
		"reason":                {400, info("FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"), Conflict},
		"reason of 1.0.0":       {409, info("FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"), Conflict},
		"reason over canonical": {400, info("FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"), NotFound},
		"foreign reason":        {400, info("UNAUTHENTICATED", "API_KEY_EXPIRED"), Auth},
		"canonical":             {400, `{"error":{"code":400,"status":"NOT_FOUND","message":"m"}}`, NotFound},
		"code in body":          {502, `{"error":{"code":404,"message":"m"}}`, Transient},
		"no body":               {404, ``, NotFound},
		"HTML":                  {503, `<!doctype html>`, Transient},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := FromA2AREST(tt.status, nil, []byte(tt.body), now, read)
			if e.Class != tt.want || e.Context.UpstreamCode != tt.status {
				t.Errorf("%s, code %d, want %s, %d", e.Class, e.Context.UpstreamCode, tt.want, tt.status)
			}
			if hasMessage := e.Message == "m"; hasMessage != (len(tt.body) > 20) {
				t.Errorf("message %q", e.Message)
			}
		})
	}
	e := FromA2AREST(429, http.Header{"Retry-After": {"7"}}, []byte(`{"error":{"status":"RESOURCE_EXHAUSTED"}}`), now, read)
	if e.Class != RateLimit || e.SuggestedBackoff != 7*time.Second {
		t.Errorf("%s, backoff %s", e.Class, e.SuggestedBackoff)
	}
}

// Every reason and code of A2A stands for an error that the tables know.
func TestReasonsHaveCodes(t *testing.T) {
	for reason, code := range a2aReasons {
		if _, ok := a2aCodes[code]; !ok {
			t.Errorf("%s stands for %d, which is no code", reason, code)
		}
	}
}
