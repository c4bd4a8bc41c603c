package reporters

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	endings := map[string]string{"markdown": ".golden.md", "json": ".golden.json"}
	for name, r := range goldenReports() {
		for _, format := range Formats() {
			t.Run(name+"/"+format, func(t *testing.T) {
				var got bytes.Buffer
				if err := Render(&got, format, r); err != nil {
					t.Fatal(err)
				}
				golden(t, name+endings[format], got.Bytes())
			})
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run the test with -update:\n%s", path, diff)
	}
}
