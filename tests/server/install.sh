#!/bin/sh
# The tests of the store run on PostgreSQL 15 too. Install Debian's where we may; elsewhere those tests are skipped.
[ -x /usr/lib/postgresql/15/bin/initdb ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql-15 >/dev/null
fi
exit 0
