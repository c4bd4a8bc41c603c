#!/usr/bin/env bash
# Writes .env with secrets of this machine, once. Running it again changes nothing.
set -euo pipefail
cd "$(dirname "$0")"
if [ -e .env ]; then
  echo ".env is there already"
  exit 0
fi
umask 077
random() { openssl rand -hex "$1"; }
cat >.env <<END
BRIDGE_KEY=$(random 32)
CREDS_KEY=$(random 32)
CREDS_IV=$(random 16)
JWT_SECRET=$(random 32)
JWT_REFRESH_SECRET=$(random 32)
MONGO_PASSWORD=$(random 24)
END
echo "wrote .env"
