#!/bin/sh
# The unit tests of what is deployed on Python 3.13, the runtime of the functions, where this machine has it.
set -eu
uv=$(command -v uv || echo .venv/bin/uv)
[ "${SKIP_313:-}" = "" ] || { echo "Python 3.13: left out, SKIP_313 is set"; exit 0; }
if [ "$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = "3.13" ]; then exit 0; fi
python=""
for candidate in python3.13 "$HOME"/.pyenv/versions/3.13.*/bin/python; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "Python 3.13: none on this machine, its tests are left out"; exit 0; }
stamp=.venv-3.13/.installed
if [ ! -e "$stamp" ] || [ requirements/lock.txt -nt "$stamp" ]; then
    "$uv" venv --quiet --allow-existing --python "$python" .venv-3.13
    "$uv" pip install --quiet --python .venv-3.13/bin/python --require-hashes -r requirements/lock.txt
    "$uv" pip install --quiet --python .venv-3.13/bin/python --no-deps -e .
    touch "$stamp"
fi
.venv-3.13/bin/python -m pytest --numprocesses 2 --dist loadfile tests/unit \
    --ignore tests/unit/bench --ignore tests/unit/badinput --ignore tests/unit/simulator
