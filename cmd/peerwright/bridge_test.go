package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// somewhere is a server that is named, and never reached.
const somewhere = "--mcp=http://127.0.0.1:1/mcp"

// inFile writes a configuration, and names it by a flag.
func inFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "peerwright.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "--config=" + name
}

// What cannot be a bridge is refused before anything is started, with what is wrong, where,
// and the way out.
func TestBridgeUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("BLANK", " , ")
	file := func(text string) string { return inFile(t, text) }
	for name, c := range map[string]struct {
		args []string
		want string // in the message
	}{
		"nothing behind it":            {nil, "name an MCP server by --mcp URL or its command behind --, an A2A agent by --a2a URL"},
		"nothing in the file":          {[]string{file("bridge:\n  timeout: 5s\n")}, "there is nothing to serve"},
		"no such scheme":               {[]string{"--mcp", "ftp://127.0.0.1/"}, `scheme "ftp" is none of http, https, ws, wss`},
		"no host":                      {[]string{"--mcp", "localhost"}, "names no host"},
		"no such flag":                 {[]string{"--mpc", "x"}, "unknown flag: --mpc"},
		"a target without a flag":      {[]string{"http://127.0.0.1:1/"}, "is no target: name one by --mcp URL"},
		"no such revision":             {[]string{somewhere, "--revision", "1999-01-01"}, `unknown revision "1999-01-01": choose one of 2024-11-05`},
		"no such transport":            {[]string{somewhere, "--transport", "pigeon"}, "is reached by http, not by pigeon"},
		"two servers with one id":      {[]string{"--mcp", "a=http://127.0.0.1:1/", "--mcp", "a=http://127.0.0.1:2/"}, "upstreams[a]: the id is that of a server already"},
		"two agents with one id":       {[]string{"--a2a", "a=http://127.0.0.1:1/", "--a2a", "a=http://127.0.0.1:2/"}, "agents[a].id: another agent has this id already"},
		"a server with an agent's id":  {[]string{"--a2a", "a=http://127.0.0.1:1/", "--mcp", "a=http://127.0.0.1:2/"}, "upstreams[a]: the id is that of an agent already"},
		"an unknown key":               {[]string{file("bridge:\n  upstreams:\n    - id: x\n      mpc: http://127.0.0.1:1/\n")}, "peerwright.yaml:4: bridge.upstreams[x].mpc: unknown key; the keys here are id, mcp"},
		"a key of a wrong kind":        {[]string{file("bridge:\n  timeout: soon\n")}, "peerwright.yaml:2: bridge.timeout: must be a duration"},
		"no such file":                 {[]string{"--config", "absent.yaml"}, "absent.yaml: no such file"},
		"a server without an id":       {[]string{file("bridge:\n  upstreams:\n    - mcp: http://127.0.0.1:1/\n")}, "upstreams[0]: id is missing"},
		"a server that is nowhere":     {[]string{file("bridge:\n  upstreams:\n    - id: x\n")}, "upstreams[x]: "},
		"a time below zero":            {[]string{somewhere, "--timeout=-5s"}, "timeout must not be negative"},
		"a server's time below zero":   {[]string{file("bridge:\n  upstreams:\n    - {id: x, mcp: 'http://127.0.0.1:1/', start: -1s}\n")}, "upstreams[x]: start must not be negative"},
		"keys that are not set":        {[]string{somewhere, "--keys-env", "UNSET"}, "the environment variable UNSET is not set, or holds no key"},
		"blank keys":                   {[]string{somewhere, "--keys-env", "BLANK"}, "holds no key"},
		"a header that is not set":     {[]string{somewhere, "--header-env", "A=UNSET"}, "header A: the environment variable UNSET is not set"},
		"a broken header":              {[]string{somewhere, "--header", "X"}, "write it like 'Name: value'"},
		"a header for a command":       {[]string{"--header", "A: b", "--", "cat"}, "takes from its environment"},
		"a credential that is not set": {[]string{file("bridge:\n  upstreams:\n    - {id: x, mcp: 'http://127.0.0.1:1/', auth_env: UNSET}\n")}, "upstreams[x]: auth_env: the environment variable UNSET is not set"},
		"open to everybody":            {[]string{somewhere, "--listen", "0.0.0.0:0"}, "name an environment variable with keys by --keys-env"},
		"open to everybody, by a name": {[]string{somewhere, "--listen", "peer.example:0"}, "--open"},
		"two places":                   {[]string{somewhere, "--listen", "127.0.0.1:1", "--port", "5"}, "say the same thing: give one of them"},
		"a port that is none":          {[]string{somewhere, "--port", "70000"}, "--port 70000 is no port"},
		"a port that is no number":     {[]string{somewhere, "--port", "http"}, "--port"},
		"an address that is none":      {[]string{somewhere, "--listen", "here"}, `listen "here": write it like 127.0.0.1:3847`},
		"no such store":                {[]string{somewhere, "--store", "redis://user:hunter2@127.0.0.1/"}, `no store is named "redis": use memory://, sqlite:///`},
		"a store that is no URL":       {[]string{somewhere, "--store", "bridge.db"}, "a store is named by a URL"},
		"a store in no folder":         {[]string{somewhere, "--store", "sqlite:///proc/none/bridge.db"}, "/proc/none"},
		"a model without tools":        {[]string{"--a2a", "http://127.0.0.1:1/", "--llm", "http://127.0.0.1:1/v1"}, "a model has nothing to call without an MCP server"},
		"a model that is nowhere":      {[]string{somewhere, "--llm", "here"}, "llm.url must be the address of an OpenAI-compatible server"},
		"a model without its server":   {[]string{somewhere, "--llm-model", "m"}, "llm.url must be"},
		"a model's key":                {[]string{somewhere, "--llm", "http://127.0.0.1:1/v1", "--llm-key-env", "UNSET"}, "llm.api_key_env: the environment variable UNSET is not set"},
		"turns of no store":            {[]string{"turns"}, "name the store of the bridge by --store"},
		"turns in memory":              {[]string{"turns", "--store", "memory://"}, "can be read by the bridge alone"},
		"turns of a store of no kind":  {[]string{"turns", "--store", "redis://"}, `no store is named "redis"`},
		"turns that nobody wrote":      {[]string{"turns", "--store", "sqlite://absent.db"}, "absent.db: no such file"},
		"turns of a broken file":       {[]string{"turns", file("bridge:\n  nothing: 1\n")}, "peerwright.yaml:2: bridge.nothing: unknown key"},
		"turns since no time":          {[]string{"turns", "--store", "sqlite://x.db", "--since", "yesterday"}, `--since "yesterday": write a time`},
		"fewer turns than none":        {[]string{"turns", "--store", "sqlite://x.db", "--limit=-1"}, "--limit must not be negative"},
		"turns with an argument":       {[]string{"turns", "extra"}, "takes no arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			got := peerwright(t, append([]string{"bridge"}, c.args...)...)
			if got.code != exitUsage || !strings.Contains(got.err, c.want) || got.out != "" {
				t.Errorf("exit %d, %q, %q; want exit 2 and %q", got.code, got.out, got.err, c.want)
			}
			if strings.Contains(got.err, "goroutine") || strings.Contains(got.err, "hunter2") {
				t.Errorf("what no user should see: %s", got.err)
			}
		})
	}
	if left, err := filepath.Glob("*"); err != nil || left != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestBridgeOnAPortThatIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := peerwright(t, "bridge", somewhere, "--listen", l.Addr().String())
	if got.code != exitUnreachable || !strings.HasPrefix(got.err, "peerwright: listening on ") || !strings.Contains(got.err, "address already in use: name another address by --listen") {
		t.Errorf("exit %d, %q", got.code, got.err)
	}
}

func TestBridgeWithAStoreThatIsAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "mongodb://someone:hunter2secret@" + l.Addr().String() + "/db?timeoutMS=300"
	_ = l.Close() // nothing listens there any more
	for _, args := range [][]string{{"bridge", somewhere, "--store", address}, {"bridge", "turns", "--store", address}} {
		got := peerwright(t, args...)
		if got.code != exitUnreachable || !strings.Contains(got.err, l.Addr().String()) || strings.Contains(got.err, "hunter2") {
			t.Errorf("%v: exit %d, %q", args[:2], got.code, got.err)
		}
	}
}
