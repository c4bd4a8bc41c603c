#!/usr/bin/env bash
# Runs all Go tests under the race detector and says at the end, line by line, what was not run.
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
go test -race -timeout 30m -v ./... >"$log" 2>&1
status=$?
grep -E '^(ok|FAIL|---? FAIL|panic:|\?)|^\s+--- FAIL' "$log" | grep -v 'no test files' || true
if [ "$status" -ne 0 ]; then
  echo; echo "What failed, in full:"; grep -nE -A40 '^\s*--- FAIL|^panic:|DATA RACE|^FAIL' "$log" | head -400
fi
# The reason of a skip stands on the line before or after its --- SKIP, with the place in the source.
echo; echo "Not run:"
awk '/^=== (RUN|CONT|NAME|PAUSE)/ {next} /^\s*[a-zA-Z0-9_]+_test\.go:[0-9]+: / {why=$0} /^\s*--- SKIP/ {sub(/^\s*--- SKIP: /,""); print "  " $0 "  " why}' "$log" | sort -u | sed 's/^$/  nothing/' || true
grep -q -- '--- SKIP' "$log" || echo "  nothing: every test ran"
passed=$(grep -cE '^\s*--- PASS' "$log" || true); failed=$(grep -cE '^\s*--- FAIL' "$log" || true); skipped=$(grep -cE '^\s*--- SKIP' "$log" || true)
echo; echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
