#!/bin/sh
# The browser tests drive Debian's Chromium, best without its windows: that takes half the time.
# Install it where we may; elsewhere those tests report why they are skipped.
there() { command -v "$1" >/dev/null 2>&1; }
add() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1; }
there chromium-headless-shell && exit 0
if [ "$(id -u)" = 0 ] && there apt-get; then
    there chromium || apt-get update -qq
    add chromium-headless-shell || there chromium || add chromium
fi
exit 0
