#!/bin/sh
# The editor's types, and whether the built editor in the package is what its sources give.
cd "$(dirname "$0")" || exit 1
sh install.sh
if [ ! -e node_modules/installed ]; then
    echo "The editor was not checked: node and npm are not there, or npm could not get the packages of frontend/." >&2
    [ -z "$CI" ] # where everything is verified this is a failure
    exit
fi
npm run --silent check || exit 1
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
npm run --silent build -- --outdir="$fresh" || exit 1
for made in "$fresh"/*; do
    name=$(basename "$made")
    if ! cmp "$made" "../src/coindex/annotation_app/static/$name"; then
        echo "src/coindex/annotation_app/static/$name is not what frontend/src gives; run: make editor" >&2
        exit 1
    fi
done
