package a2achat

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
)

func TestRender(t *testing.T) {
	const png = "iVBORw0KGgo="
	for name, c := range map[string]struct {
		part agent.Part
		want string
	}{
		"text":                    {agent.Part{Text: " x\n"}, " x\n"},
		"data":                    {agent.Part{Data: []byte(`{"n":1.0}`)}, "```json\n{\"n\":1.0}\n```"},
		"data with fences":        {agent.Part{Data: []byte("\"````\"")}, "`````json\n\"````\"\n`````"},
		"a link":                  {agent.Part{File: &agent.File{URI: "https://x.example/a/report.pdf?q=1"}}, "[report.pdf](https://x.example/a/report.pdf?q=1)"},
		"a named link":            {agent.Part{File: &agent.File{URI: "https://x.example/", Name: "a_b*.pdf"}}, `[a\_b\*.pdf](https://x.example/)`},
		"a link that ends early":  {agent.Part{File: &agent.File{URI: "https://x.example/a b)<x>", Name: "x"}}, "[x](https://x.example/a%20b%29%3Cx%3E)"},
		"an image by its name":    {agent.Part{File: &agent.File{URI: "https://x.example/cat.png"}}, "![cat.png](https://x.example/cat.png)"},
		"an image":                {agent.Part{File: &agent.File{Base64: png, MediaType: "image/png", Name: "cat.png"}}, "![cat.png](data:image/png;base64," + png + ")"},
		"a script":                {agent.Part{File: &agent.File{URI: "javascript:alert(1)", Name: "x"}}, "*File x (application/octet-stream): at `javascript:alert(1)`.*"},
		"another scheme":          {agent.Part{File: &agent.File{URI: "gs://bucket/x.png"}}, "*File x.png (image/png): at `gs://bucket/x.png`.*"},
		"no name":                 {agent.Part{File: &agent.File{Base64: "aGk="}}, "[file](data:application/octet-stream;base64,aGk=)"},
		"the other alphabet":      {agent.Part{File: &agent.File{Base64: "-_-_", Name: "x"}}, "[x](data:application/octet-stream;base64,+/+/)"},
		"no padding":              {agent.Part{File: &agent.File{Base64: "aGk", Name: "x"}}, "[x](data:application/octet-stream;base64,aGk=)"},
		"no base64":               {agent.Part{File: &agent.File{Base64: "a)](x", Name: "x"}}, "*File x (application/octet-stream): its content is not readable.*"},
		"a type that breaks out":  {agent.Part{File: &agent.File{Base64: "aGk=", MediaType: "a/b) [x](y", Name: "x"}}, "[x](data:application/octet-stream;base64,aGk=)"},
		"a type with a parameter": {agent.Part{File: &agent.File{Base64: "aGk=", MediaType: "text/plain;charset=utf-8", Name: "x"}}, "[x](data:text/plain;charset=utf-8;base64,aGk=)"},
	} {
		if got, _ := render(c.part); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

func TestLargeFileIsNamed(t *testing.T) {
	content := base64.StdEncoding.EncodeToString(make([]byte, 3<<20))
	got, _ := render(agent.Part{File: &agent.File{Base64: content, MediaType: "image/png", Name: "big.png"}})
	if got != "*File big.png (image/png): 3.0 MiB, too large to be shown here.*" {
		t.Error(got)
	}
}

// FuzzFile holds that whatever an agent calls its file, one link or one line comes of it.
func FuzzFile(f *testing.F) {
	f.Add("a.png", "image/png", "https://x.example/a.png", "")
	f.Add("]( x", "a/b\n", "", "aGk=")
	f.Fuzz(func(t *testing.T, name, kind, uri, content string) {
		got := file(agent.File{Name: name, MediaType: kind, URI: uri, Base64: content})
		if got == "" || strings.ContainsAny(got, "\r\n") {
			t.Errorf("%q", got)
		}
		if strings.HasPrefix(got, "[") || strings.HasPrefix(got, "![") {
			if target := got[strings.LastIndex(got, "](")+2:]; strings.ContainsAny(target[:len(target)-1], " ()<>") {
				t.Errorf("%q", got)
			}
		}
	})
}

// FuzzAttachment holds that no part of a request is taken for one that it is not.
func FuzzAttachment(f *testing.F) {
	f.Add("data:image/png;base64,aGk=")
	f.Add("data:,hello%20there")
	f.Add("data:text/plain;charset=utf-8,%zz")
	f.Add("https://x.example/a.png")
	f.Fuzz(func(t *testing.T, address string) {
		raw := marshal(address)
		got, err := image(raw)
		switch {
		case err != nil && got != nil, err == nil && got == nil:
			t.Fatalf("%+v, %v", got, err)
		case err != nil:
		case got.URI == "" && got.Base64 != "":
			if _, err := base64.StdEncoding.DecodeString(got.Base64); err != nil {
				t.Errorf("%q became %q", address, got.Base64)
			}
		}
	})
}

func TestKeptSurvivesTheStore(t *testing.T) {
	for _, k := range []kept{{}, {"ctx", ""}, {"ctx", "task"}, {`{"a":1}`, ""}, {"{", "t"}, {"", ""}} {
		if got := parseKept(k.String()); got != k {
			t.Errorf("%+v came back as %+v", k, got)
		}
	}
	if got := parseKept(`{"a":1}`); got.Context != `{"a":1}` {
		t.Errorf("a context that looks like JSON came back as %+v", got)
	}
}

func TestScopesAreTold(t *testing.T) {
	for _, c := range []struct{ caller, id string }{{"", "c1"}, {"ab12", "c1"}, {"", "caller:ab12/c1"}, {"ab12", "a/b"}, {"", "caller:x"}, {"", ""}} {
		key := conversation{id: c.id}.key("agent", c.caller)
		if caller, id := unscope(key.Conversation); caller != c.caller || id != c.id {
			t.Errorf("%+v became %q, which is %q of %q", c, key.Conversation, id, caller)
		}
	}
}

func TestUnsavedConversationsAreBounded(t *testing.T) {
	var u unsaved
	for i := range mostLoose + 10 {
		u.put(conversation{id: string(rune(i + 0x100))}.key("a", ""), loose{})
	}
	if len(u.all) != mostLoose || len(u.order) != mostLoose {
		t.Errorf("%d are remembered, %d in order", len(u.all), len(u.order))
	}
	first := conversation{id: string(rune(0x100))}.key("a", "")
	if _, ok := u.get(first); ok {
		t.Error("the oldest is remembered")
	}
}
