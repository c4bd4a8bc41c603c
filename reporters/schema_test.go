package reporters

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestValidateRefuses(t *testing.T) {
	text := written(t, baseReport(mixedPeer()))
	tests := map[string]struct{ old, new, path string }{
		"another document":   {`"peerwright.report/1"`, `"peerwright.report/2"`, "/schema"},
		"unknown status":     {`"status": "errored"`, `"status": "broken"`, "/peers/0/cases/1/status"},
		"unknown verdict":    {`"verdict": "not-conformant"`, `"verdict": "good"`, "/verdict"},
		"unknown level":      {`"level": "MUST"`, `"level": "must"`, "/peers/0/cases/0/level"},
		"unknown area":       {`"area": "errors"`, `"area": "mistakes"`, "/peers/0/cases/0/area"},
		"unknown area count": {`"errors": {`, `"mistakes": {`, "/peers/0/areas"},
		"unknown protocol":   {`"protocol": "mcp"`, `"protocol": "http"`, "/peers/0/protocol"},
		"unknown direction":  {`"dir": "out"`, `"dir": "up"`, "/peers/0/cases/2/transcript/0/dir"},
		"status left out":    {`"status": "errored",`, ``, "/peers/0/cases/1"},
		"a count as text":    {`"passed": 1`, `"passed": "1"`, "/summary/passed"},
		"a negative count":   {`"passed": 1`, `"passed": -1`, "/summary/passed"},
		"half a case":        {`"passed": 1`, `"passed": 0.5`, "/summary/passed"},
		"local time":         {`05.123Z`, `05.123+02:00`, "/started_at"},
		"a script as link":   {`"url": "https:`, `"url": "javascript:`, "/peers/0/cases/0/rule/url"},
		"digest of nothing":  {`"suite": "sha256:0123`, `"suite": "sha256:`, "/tool/suite"},
		"cut short":          {`"reproduce"`, ``, ""},
		"two documents":      {"server.js\"\n}\n", "server.js\"\n}\n{}\n", "something follows the document"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(text, tt.old) {
				t.Fatalf("the report has no %s", tt.old)
			}
			err := Validate([]byte(strings.Replace(text, tt.old, tt.new, 1)))
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), tt.path) {
				t.Errorf("got %v, want it to name %s", err, tt.path)
			}
		})
	}
}

// TestNoUnknownMembers adds a member to every object of a report in turn.
func TestNoUnknownMembers(t *testing.T) {
	var document any
	if err := json.Unmarshal([]byte(written(t, baseReport(mixedPeer(), unstartedPeer()))), &document); err != nil {
		t.Fatal(err)
	}
	objects := 0
	eachObject(document, "", func(path string, object map[string]any) {
		objects++
		object["surprise"] = 1
		defer delete(object, "surprise")
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(text); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), path) {
			t.Errorf("a member more in %q: %v", path, err)
		}
	})
	if objects < 50 {
		t.Errorf("only %d objects were tried", objects)
	}
	text, _ := json.Marshal(document)
	if err := Validate(text); err != nil {
		t.Errorf("the document itself: %v", err)
	}
}

func eachObject(value any, path string, visit func(string, map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(path, v)
		for name, member := range v {
			eachObject(member, path+"/"+name, visit)
		}
	case []any:
		for i, item := range v {
			eachObject(item, fmt.Sprintf("%s/%d", path, i), visit)
		}
	}
}

func TestManyComplaintsAreBounded(t *testing.T) {
	peers := strings.Repeat(`{},`, 20) + `{}`
	err := Validate([]byte(`{"peers":[` + peers + `]}`))
	if err == nil || !strings.Contains(err.Error(), "more") || len(err.Error()) > 4<<10 {
		t.Errorf("got %v", err)
	}
}

func TestSchemaIsACopy(t *testing.T) {
	first := Schema()
	clear(first)
	if !json.Valid(Schema()) {
		t.Error("the schema can be changed from outside")
	}
}
