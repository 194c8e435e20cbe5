#!/bin/sh
# .venv from the lock. uv is used where there is one, else brought by pip. Safe to run again.
set -eu
python=$1
venv=.venv
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    { echo "Python 3.11 or newer is needed, $python is older. Name another: make setup PYTHON=python3.13" >&2; exit 1; }
if command -v uv >/dev/null 2>&1; then
    uv=uv
    [ -x "$venv/bin/python" ] || uv venv --quiet --python "$("$python" -c 'import sys; print(sys.executable)')" "$venv"
else
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    uv=$venv/bin/uv
    [ -x "$uv" ] || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check 'uv>=0.9'
fi
echo "Installing what requirements/lock.txt names into $venv…" >&2
"$uv" pip install --quiet --python "$venv/bin/python" --require-hashes -r requirements/lock.txt
"$uv" pip install --quiet --python "$venv/bin/python" --no-deps -e .
