package recorder_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
)

// through runs a server that writes the bytes behind the recorder, and returns what
// the client saw.
func through(t *testing.T, rec *recording, toServer, fromServer, fromStderr string) (stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"out": fromServer, "err": fromStderr} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("RECORDER_TEST_AS", "server")
	t.Setenv("RECORDER_TEST_STDOUT", filepath.Join(dir, "out"))
	t.Setenv("RECORDER_TEST_STDERR", filepath.Join(dir, "err"))
	var out, errs bytes.Buffer
	code, err := recorder.Stdio(deadline(t), []string{os.Args[0]}, strings.NewReader(toServer), &out, &errs, rec.Recorder)
	if err != nil || code != 0 {
		t.Fatalf("status %d, %v", code, err)
	}
	return out.String(), errs.String()
}

func TestStdioPassesByteForByte(t *testing.T) {
	for name, data := range map[string]string{
		"a long result":  `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("ä€𝄞", 600_000) + `"}` + "\n",
		"CRLF":           "{\"a\":1}\r\n\r\n{\"b\":2}\r\n",
		"no JSON":        "hello\n\x00\xff\xfe\n\n",
		"no last end":    "{\"a\":1}\n{\"b\":",
		"half character": "\xe2\x82\n\xac\n",
		"nothing":        "",
	} {
		t.Run(name, func(t *testing.T) {
			rec := record(t, "stdio", recorder.Options{})
			out, errs := through(t, rec, data, data, data)
			f := rec.read()
			for what, pair := range map[string][2]string{
				"stdout, seen":     {out, data},
				"stderr, seen":     {errs, data},
				"stdin, recorded":  {string(joined(f, 0, wire.Out, wire.FrameMessage, wire.FrameChunk)), data},
				"stdout, recorded": {string(joined(f, 0, wire.In, wire.FrameMessage, wire.FrameChunk)), data},
				"stderr, recorded": {string(joined(f, 0, wire.In, wire.FrameStderr)), data},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s: %.200q, want %.200q", what, pair[0], pair[1])
				}
			}
		})
	}
}

func TestNoSecretReachesTheDiskOverStdio(t *testing.T) {
	rec := record(t, "stdio", recorder.Options{})
	secret := `{"params":{"password":"` + canary + `","text":"{\"token\":\"` + canary + `\"}"}}` + "\n"
	out, errs := through(t, rec, secret, secret, "Authorization: Bearer "+canary+"\nAPI_KEY="+canary)
	if out != secret || !strings.Contains(errs, canary) {
		t.Errorf("the client saw %q and %q", out, errs)
	}
	rec.hides(canary)
}

func TestACommandThatDoesNotStart(t *testing.T) {
	rec := record(t, "stdio", recorder.Options{})
	code, err := recorder.Stdio(deadline(t), []string{"/nonexistent/server"}, strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, rec.Recorder)
	if err == nil || code != -1 {
		t.Errorf("status %d, %v", code, err)
	}
	if f := rec.read(); len(f.Frames) != 0 || f.Truncated {
		t.Errorf("recorded %+v", f)
	}
}
