package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestUsageErrors(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken.fixture.jsonl")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string // in the message
	}{
		"no such command":             {[]string{"reprot"}, `there is no command "reprot"; the commands are ` + commands()},
		"no such flag":                {[]string{"report", "--mpc", "x"}, "unknown flag: --mpc; see `peerwright report --help`"},
		"a target without a flag":     {[]string{"report", "http://127.0.0.1:1/mcp"}, "is no target: name one by --mcp URL"},
		"two targets":                 {[]string{"report", "--mcp", "http://a/", "--a2a", "http://b/"}, "name one peer"},
		"no such format":              {[]string{"report", "--format", "pdf"}, `"pdf" is none of`},
		"no such scheme":              {[]string{"report", "--mcp", "ftp://127.0.0.1/x"}, `scheme "ftp" is none of http, https, ws, wss`},
		"no host":                     {[]string{"report", "--mcp", "localhost"}, "names no host"},
		"no such revision":            {[]string{"report", "--mcp", "http://127.0.0.1:1/mcp", "--revision", "2020-01-01"}, `unknown revision "2020-01-01"`},
		"no such transport":           {[]string{"report", "--mcp", "http://127.0.0.1:1/mcp", "--transport", "pigeon"}, "is reached by http, not by pigeon"},
		"no such A2A transport":       {[]string{"report", "--a2a", "http://127.0.0.1:1/", "--transport", "pigeon"}, "choose jsonrpc or rest"},
		"a chat URL without a host":   {[]string{"report", "--chat", "localhost"}, "is no base of a chat endpoint"},
		"a chat URL of no scheme":     {[]string{"report", "--chat", "ftp://127.0.0.1"}, "is no base of a chat endpoint"},
		"a chat URL with a query":     {[]string{"report", "--chat", "http://127.0.0.1/?a=b"}, "is no base of a chat endpoint"},
		"a transport for chat":        {[]string{"report", "--chat", "http://127.0.0.1:1", "--transport", "http"}, "are not for a chat endpoint"},
		"a chat endpoint and an MCP":  {[]string{"report", "--chat", "http://127.0.0.1:1", "--mcp", "http://127.0.0.1:1/mcp"}, "name one peer"},
		"a recording of chat":         {[]string{"record", "-o", filepath.Join(dir, "c.fixture.jsonl"), "--chat", "http://127.0.0.1:1"}, "unknown flag: --chat"},
		"a broken header":             {[]string{"report", "--mcp", "http://127.0.0.1:1/", "--header", "X"}, "write it like 'Name: value'"},
		"a variable that is not set":  {[]string{"report", "--mcp", "http://127.0.0.1:1/", "--header-env", "A=PEERWRIGHT_UNSET"}, "PEERWRIGHT_UNSET is not set"},
		"a pattern that fits nothing": {[]string{"report", "--only", "mcp.paginaton.*"}, `"mcp.paginaton.*" fits no case`},
		"no configuration":            {[]string{"report", "--config", filepath.Join(dir, "absent.yaml")}, "no such file"},
		"no such case":                {[]string{"cases", "mcp.pagination.invalid-cursr"}, "there is no case"},
		"two cases":                   {[]string{"cases", "a", "b"}, "takes one ID"},
		"a recording without a file":  {[]string{"record", "--mcp", "http://127.0.0.1:1/"}, "--output"},
		"a recording of nothing":      {[]string{"record", "-o", filepath.Join(dir, "x.fixture.jsonl")}, "name one peer"},
		"a recording over another":    {[]string{"record", "-o", taken, "--mcp", "http://127.0.0.1:1/"}, "--force overwrites it"},
		"a recorder open to all":      {[]string{"record", "-o", filepath.Join(dir, "y.fixture.jsonl"), "--mcp", "http://127.0.0.1:1/", "--listen", "0.0.0.0:0"}, "--open says that it is meant"},
	} {
		t.Run(name, func(t *testing.T) {
			got := peerwright(t, c.args...)
			if got.code != exitUsage || !strings.Contains(got.err, c.want) {
				t.Errorf("exit %d, %q; want exit 2 and %q", got.code, got.err, c.want)
			}
			if strings.Contains(got.err, "goroutine") {
				t.Errorf("a stack trace: %s", got.err)
			}
		})
	}
}

// commands lists what a user can call, as the program itself has it.
func commands() string {
	var names []string
	for _, c := range newRoot(streams{}).Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return strings.Join(names, ", ")
}

// unreachable checks that the report says what is wrong, and the exit code that
// nothing could be judged.
func unreachable(t *testing.T, got ran, want string) {
	t.Helper()
	if got.code != exitUnreachable {
		t.Errorf("exit %d, not 3: %s", got.code, got.err)
	}
	if !strings.Contains(got.out, want) {
		t.Errorf("the report does not say %q:\n%s", want, got.out)
	}
	if strings.Contains(got.out+got.err, "goroutine ") {
		t.Errorf("a stack trace:\n%s%s", got.out, got.err)
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	within(t, 20*time.Second, func() {
		unreachable(t, peerwright(t, "report", "--timeout", "2s", "--mcp", "http://"+addr+"/mcp"), "connection refused")
		unreachable(t, peerwright(t, "report", "--timeout", "2s", "--mcp", "ws://"+addr+"/mcp"), "connection refused")
		unreachable(t, peerwright(t, "report", "--timeout", "2s", "--a2a", "http://"+addr), "connection refused")
		unreachable(t, peerwright(t, "report", "--timeout", "2s", "--chat", "http://"+addr), "connection refused")
	})
}

func TestAListenerThatNeverAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	within(t, 20*time.Second, func() {
		unreachable(t, peerwright(t, "report", "--timeout", "1s", "--mcp", "http://"+l.Addr().String()+"/mcp"), "no answer within 1s")
		unreachable(t, peerwright(t, "report", "--timeout", "1s", "--a2a", "http://"+l.Addr().String()), "no answer within 1s")
		unreachable(t, peerwright(t, "report", "--timeout", "1s", "--chat", "http://"+l.Addr().String()), "no answer within 1s")
	})
}

func TestAPeerThatTurnsTheSuiteAway(t *testing.T) {
	for status, want := range map[int]string{401: "--header-env Authorization=VARIABLE", 302: "redirects are not followed", 404: "check the path"} {
		base, stop, err := serve(func(string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		})
		if err != nil {
			t.Fatal(err)
		}
		unreachable(t, peerwright(t, "report", "--mcp", base+"/mcp"), want)
		stop()
	}
}

func TestNoSuchProgram(t *testing.T) {
	unreachable(t, peerwright(t, "report", "--", "peerwright-no-such-program"), "peerwright-no-such-program")
}

func TestAServerThatDiesAtOnce(t *testing.T) {
	got := peerwright(t, append([]string{"report", "--timeout", "5s"}, acting(t, "dies")...)...)
	unreachable(t, got, "status 7")
	if !strings.Contains(got.out, "cannot open the database") {
		t.Errorf("the report does not quote its stderr:\n%s", got.out)
	}
}

func TestAServerThatNeverAnswers(t *testing.T) {
	for _, act := range []string{"silent", "deaf"} {
		within(t, 30*time.Second, func() {
			unreachable(t, peerwright(t, append([]string{"report", "--timeout", "1s"}, acting(t, act)...)...), "no answer within 1s")
		})
	}
}

func TestAServerThatTalksOnItsStdout(t *testing.T) {
	got := peerwright(t, append([]string{"report", "--only", "mcp.framing.well-formed-messages"}, acting(t, "banner")...)...)
	if got.code != exitBad || !strings.Contains(got.out, "Good Server version 1.0 ready") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
}
