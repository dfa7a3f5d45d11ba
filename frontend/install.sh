#!/bin/sh
# What the editor is built and tested with: node, where we may install it, and the packages of package-lock.json.
# Users need none of it, since the built editor is in the package; without it those checks and tests say why they are skipped.
cd "$(dirname "$0")" || exit 1
if ! command -v npm >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null
fi
command -v npm >/dev/null 2>&1 || exit 0
if [ ! -e node_modules/installed ] || [ package-lock.json -nt node_modules/installed ]; then
    npm ci --silent --no-audit --no-fund && touch node_modules/installed
fi
exit 0
