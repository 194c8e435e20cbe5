#!/bin/sh
# One lock for every machine and Python: hashes of all files, no address of any index in it.
set -eu
"$1" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
    --all-extras --group dev pyproject.toml --output-file requirements/lock.txt
