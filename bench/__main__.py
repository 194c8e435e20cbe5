"""`python -m bench [NAME …]`: run the benchmarks and print their rows. The exit code is 1 where a bound does not hold.

With `--docs`, what was measured goes into docs/benchmarks.json, and docs/benchmarks.md is made of it; `--page` makes the page alone.
"""

import sys
from importlib import import_module
from types import ModuleType

from bench import documents
from bench.rows import Row, Table

NAMES = (
    "imports", "layers", "table", "diagnosis", "latency", "accuracy", "logs", "log_streams", "retrieval", "gatekeeper", "redaction",
    "hostile", "injection",
)  # fmt: skip
DOCS, ONLY_PAGE = "--docs", "--page"


def main(words: list[str]) -> int:
    """Each benchmark in turn; one that can not run here says why and is left out."""
    names = [w for w in words if w not in (DOCS, ONLY_PAGE)]
    unknown = set(names) - set(NAMES)
    if unknown:
        print(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    missed = False
    for name in () if ONLY_PAGE in words else names or NAMES:
        found = _measured(name, import_module(f"bench.{name}"), kept=DOCS in words)
        missed = missed or not all(item.holds for item in found)
    if DOCS in words or ONLY_PAGE in words:
        documents.write()
    return 1 if missed else 0


def _measured(name: str, benchmark: ModuleType, *, kept: bool) -> list[Row | Table]:
    """What a benchmark measures, printed as it comes. One that has nothing to measure here leaves earlier figures alone."""
    about = str(benchmark.__doc__).strip()
    print(f"\n{name}: {about.splitlines()[0]}", flush=True)
    found = []
    for item in benchmark.measure():
        print(item, flush=True)
        found.append(item)
    if kept and found:
        documents.record(name, about, found)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
