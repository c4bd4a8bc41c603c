#!/usr/bin/env bash
# Runs all Go tests under the race detector, then the live peers on a machine that does nothing else, and
# says at the end, line by line, what was not run.
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
live=./conformance/peers/live
status=0
run() { # what it is called, then the arguments of go test
  echo "== $1"
  shift
  go test -timeout 40m -v "$@" >>"$log" 2>&1 || status=$?
}
# shellcheck disable=SC2046 # a list of packages
run "all packages but the live peers, under the race detector" -race $(go list ./... | grep -v "${live#.}\$")
run "the live peers" -count=1 "$live"
grep -E '^(ok|FAIL|panic:)|^\s*--- FAIL' "$log" || true
if [ "$status" -ne 0 ]; then
  echo; echo "What failed, in full:"
  grep -nE -B30 -A10 '^\s*--- FAIL|^panic:|DATA RACE' "$log" | head -400
fi
# The reason of a skip stands on a line of its own, with its place in the source.
echo; echo "Not run:"
# Rules that do not apply to the example server of conformance.Test are skips, too, and told apart.
skips=$(awk '/^=== / {next}
     /^ *[a-zA-Z0-9_]+_test\.go:[0-9]+: / {why=$0; sub(/^ *[a-zA-Z0-9_]+_test\.go:[0-9]+: /, "", why)}
     /^ *--- SKIP/ {print "  " $3 ": " why}' "$log" | sort -u)
rest=$(grep -v '^  TestServer/' <<<"$skips" || true)
echo "${rest:-  nothing: every test ran}"
echo "  (and $(grep -c '^  TestServer/' <<<"$skips" || true) rules that do not apply to the example of conformance.Test)"
count() { grep -cE "^\s*--- $1" "$log" || true; }
echo; echo "$(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped"
exit "$status"
