#!/bin/sh
# One lock for every machine and Python: hashes of all files, no address of any index in it.
set -eu
uv=$(command -v uv || echo .venv/bin/uv)
compile() { "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header "$@"; }
compile --all-extras --group dev pyproject.toml --output-file requirements/lock.txt
# Each layer's share of it, for the deployed platform; and SAM CLI's own, whose pins are not ours.
.venv/bin/python scripts/lock_layers.py "$uv"
echo 'aws-sam-cli>=1.150' | compile --output-file requirements/sam.lock -
