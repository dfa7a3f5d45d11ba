#!/bin/sh
# Start the annotation server. libpq takes the password from PGPASSWORD, which is read from a file here, so that it is
# neither in the image nor in the configuration nor in the list of processes.
set -eu
if [ -n "${DATABASE_PASSWORD_FILE:-}" ]; then
    PGPASSWORD="$(cat "$DATABASE_PASSWORD_FILE")"
    export PGPASSWORD
fi
exec coindex serve --host 0.0.0.0 --database "$DATABASE" "$@"
