#!/usr/bin/env bash
# Installs the live peers that the tests run against into .tools/ of this checkout: packages of
# npm and pip as conformance/peers/{node,python} and bridge/live/testdata pin them, one Go program,
# and a server of the MongoDB protocol that internal/store/mongotest/ferret pins. What is there
# already is left alone. What cannot be installed is named on a line "could not install: ..."
# and passed over: the tests that need it skip, and say so.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$PWD/.tools
everything=github.com/modelcontextprotocol/go-sdk/examples/server/everything@v1.8.0
mkdir -p "$tools/bin"

missing() { echo "could not install: $1 ($2)"; }

# done_already STAMP FILE... tells whether STAMP was written for these very files.
done_already() {
  local stamp=$1; shift
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(cat "$@" | sha256sum)" ]
}
stamp() { local stamp=$1; shift; cat "$@" | sha256sum >"$stamp"; }

# node_packages WHAT FROM INTO installs what FROM/package.json names. The programs stand in FROM;
# through links beside the packages they find them.
node_packages() {
  local what=$1 from=$2 into=$3 log=$3/install.log program
  local pins=("$from/package.json" "$from/package-lock.json")
  mkdir -p "$into"
  for program in "$from"/*.mjs "$from"/*.cjs; do
    if [ -e "$program" ]; then ln -sfn "$program" "$into/$(basename "$program")"; fi
  done
  if done_already "$into/.installed" "${pins[@]}"; then echo "$what: there already"; return; fi
  command -v npm >/dev/null || { missing "$what" "npm is not on the PATH"; return; }
  cp "${pins[@]}" "$into/"
  if (cd "$into" && npm ci --no-audit --no-fund >"$log" 2>&1); then
    stamp "$into/.installed" "${pins[@]}"; echo "$what: installed"
  else
    missing "$what" "npm ci failed: $(tail -n 1 "$log"), see $log"
  fi
}

# python_packages WHAT PINS INTO installs a list of requirements into an environment of its own.
python_packages() {
  local what=$1 pins=$2 into=$3 log=$3-install.log
  if done_already "$into/.installed" "$pins"; then echo "$what: there already"; return; fi
  command -v python3 >/dev/null || { missing "$what" "python3 is not on the PATH"; return; }
  if python3 -m venv "$into" >"$log" 2>&1 &&
    "$into/bin/python" -m pip install --quiet --disable-pip-version-check -r "$pins" >>"$log" 2>&1; then
    stamp "$into/.installed" "$pins"; echo "$what: installed"
  else
    missing "$what" "$(tail -n 1 "$log"), see $log"
  fi
}

go_peers() {
  local log=$tools/go-install.log
  if [ -x "$tools/bin/everything" ] && [ "$(cat "$tools/bin/.everything" 2>/dev/null)" = "$everything" ]; then echo "Go peer: there already"; return; fi
  command -v go >/dev/null || { missing "the Go peer" "go is not on the PATH"; return; }
  if GOBIN=$tools/bin go install "$everything" >"$log" 2>&1; then
    echo "$everything" >"$tools/bin/.everything"; echo "Go peer: installed"
  else
    missing "the Go peer" "$(tail -n 1 "$log"), see $log"
  fi
}

mongo_server() {
  local from=$PWD/internal/store/mongotest/ferret log=$tools/ferretdb-install.log
  local pins=("$from/go.mod" "$from/go.sum" "$from"/*.go)
  if [ -x "$tools/bin/ferretdb" ] && done_already "$tools/bin/.ferretdb" "${pins[@]}"; then echo "MongoDB server: there already"; return; fi
  command -v go >/dev/null || { missing "the MongoDB server" "go is not on the PATH"; return; }
  if (cd "$from" && go build -trimpath -tags ferretdb_no_postgresql -o "$tools/bin/ferretdb" .) >"$log" 2>&1; then
    stamp "$tools/bin/.ferretdb" "${pins[@]}"; echo "MongoDB server: installed"
  else
    missing "the MongoDB server" "$(tail -n 1 "$log"), see $log"
  fi
}

node_packages "npm peers" "$PWD/conformance/peers/node" "$tools/node"
node_packages "npm package openai" "$PWD/bridge/live/testdata/openai" "$tools/openai"
python_packages "Python peers" "$PWD/conformance/peers/python/requirements.txt" "$tools/venv"
python_packages "Python package a2a-bridge" "$PWD/bridge/live/testdata/seed/requirements.txt" "$tools/seed"
go_peers
mongo_server
