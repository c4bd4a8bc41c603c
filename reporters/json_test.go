package reporters

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func written(t *testing.T, r Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEveryReportIsValidAndReadsBack(t *testing.T) {
	for name, r := range goldenReports() {
		t.Run(name, func(t *testing.T) {
			text := written(t, r)
			if err := Validate([]byte(text)); err != nil {
				t.Error(err)
			}
			back, err := ReadReport(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text, written(t, back)); diff != "" {
				t.Errorf("read and written again (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteEscapesNoHTML(t *testing.T) {
	r := baseReport()
	r.Reproduce = "a <b> & c"
	text := written(t, r)
	if !strings.Contains(text, `"reproduce": "a <b> & c"`) || !strings.HasSuffix(text, "}\n") {
		t.Error(text)
	}
}

func TestReadReportRefusesWrongCounts(t *testing.T) {
	text := written(t, baseReport(basePeer(baseCase("mcp.tools.x", Failed))))
	tests := []struct {
		old, new string
		n        int // which occurrence, from the end: 0 is the last
		path     string
	}{
		{`"verdict": "not-conformant"`, `"verdict": "conformant"`, 1, "/verdict"},
		{`"verdict": "not-conformant"`, `"verdict": "conformant"`, 0, "/peers/0/verdict"},
		{`"failed": 1`, `"failed": 0`, 3, "/summary"},
		{`"failed": 1`, `"failed": 0`, 2, "/peers/0/summary"},
		{`"failed": 1`, `"failed": 0`, 1, "/peers/0/levels"},
		{`"failed": 1`, `"failed": 0`, 0, "/peers/0/areas"},
		{`"status": "failed"`, `"status": "passed"`, 0, "/peers/0/summary"},
	}
	for _, tt := range tests {
		end := len(text)
		for range tt.n {
			end = strings.LastIndex(text[:end], tt.old)
		}
		at := strings.LastIndex(text[:end], tt.old)
		doctored := text[:at] + tt.new + text[at+len(tt.old):]
		_, err := ReadReport(strings.NewReader(doctored))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), " "+tt.path+": ") {
			t.Errorf("%s instead of %s: %v, want it to name %s", tt.new, tt.old, err, tt.path)
		}
	}
}

func TestReadReportTellsOfReading(t *testing.T) {
	broken := errors.New("broken")
	if _, err := ReadReport(iotest.ErrReader(broken)); !errors.Is(err, broken) || errors.Is(err, ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

func TestRender(t *testing.T) {
	for _, format := range Formats() {
		if err := Render(brokenWriter{}, format, baseReport()); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s to a broken writer: %v", format, err)
		}
	}
	var out bytes.Buffer
	err := Render(&out, "yaml", baseReport())
	if unknown, ok := errors.AsType[*UnknownFormatError](err); !ok || unknown.Format != "yaml" || out.Len() > 0 {
		t.Fatalf("wrote %d bytes, error %v", out.Len(), err)
	}
	if want := `unknown report format "yaml": choose one of markdown, json`; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}
