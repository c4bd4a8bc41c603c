#!/usr/bin/env bash
# Installs the live peers that the tests run against into .tools/ of this checkout: packages of
# npm and pip as conformance/peers/{node,python} pin them, and one Go program. What is there
# already is left alone. What cannot be installed is named on a line "could not install: ..."
# and passed over: the tests that need it skip, and say so.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$PWD/.tools
everything=github.com/modelcontextprotocol/go-sdk/examples/server/everything@v1.8.0
mkdir -p "$tools/bin" "$tools/node"

missing() { echo "could not install: $1 ($2)"; }

# done_already STAMP FILE... tells whether STAMP was written for these very files.
done_already() {
  local stamp=$1; shift
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(cat "$@" | sha256sum)" ]
}
stamp() { local stamp=$1; shift; cat "$@" | sha256sum >"$stamp"; }

node_peers() {
  local from=$PWD/conformance/peers/node log=$tools/node/install.log
  local pins=("$from/package.json" "$from/package-lock.json")
  # The programs stand in the sources; through these links they find the packages.
  for program in "$from"/*.mjs "$from"/*.cjs; do ln -sfn "$program" "$tools/node/$(basename "$program")"; done
  if done_already "$tools/node/.installed" "${pins[@]}"; then echo "npm peers: there already"; return; fi
  command -v npm >/dev/null || { missing "the npm peers" "npm is not on the PATH"; return; }
  cp "${pins[@]}" "$tools/node/"
  if (cd "$tools/node" && npm ci --no-audit --no-fund >"$log" 2>&1); then
    stamp "$tools/node/.installed" "${pins[@]}"; echo "npm peers: installed"
  else
    missing "the npm peers" "npm ci failed: $(tail -n 1 "$log"), see $log"
  fi
}

python_peers() {
  local pins=$PWD/conformance/peers/python/requirements.txt log=$tools/venv-install.log
  if done_already "$tools/venv/.installed" "$pins"; then echo "Python peers: there already"; return; fi
  command -v python3 >/dev/null || { missing "the Python peers" "python3 is not on the PATH"; return; }
  if python3 -m venv "$tools/venv" >"$log" 2>&1 &&
    "$tools/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$pins" >>"$log" 2>&1; then
    stamp "$tools/venv/.installed" "$pins"; echo "Python peers: installed"
  else
    missing "the Python peers" "$(tail -n 1 "$log"), see $log"
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

node_peers
python_peers
go_peers
