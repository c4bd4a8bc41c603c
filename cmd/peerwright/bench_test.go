package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// built builds the binary as a user would.
func built(b *testing.B) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "peerwright")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// start runs the binary once, to its end.
func start(b *testing.B, binary string, args ...string) {
	b.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = b.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}

// BenchmarkHelp measures from start to exit; the budget is 30 ms.
func BenchmarkHelp(b *testing.B) {
	binary := built(b)
	for b.Loop() {
		start(b, binary, "--help")
	}
}

// BenchmarkReport measures a check of the built-in peers from start to exit; the
// budget is 3 s.
func BenchmarkReport(b *testing.B) {
	binary := built(b)
	for b.Loop() {
		start(b, binary, "report")
	}
}

// BenchmarkNothing is the floor for both: a program that only starts and ends.
func BenchmarkNothing(b *testing.B) {
	binary, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(actEnv, "nothing")
	for b.Loop() {
		start(b, binary)
	}
}
