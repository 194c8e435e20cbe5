"""`python -m bench [NAME …]`: run the benchmarks and print their rows. The exit code is 1 where a bound does not hold."""

import sys
from importlib import import_module

NAMES = ("imports", "layers", "table", "diagnosis", "latency", "accuracy")


def main(names: list[str]) -> int:
    """Each benchmark in turn; one that can not run here says why and is left out."""
    unknown = set(names) - set(NAMES)
    if unknown:
        print(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    missed = 0
    for name in names or NAMES:
        print(f"\n{name}: {str(import_module(f'bench.{name}').__doc__).strip().splitlines()[0]}", flush=True)
        for row in import_module(f"bench.{name}").measure():
            print(row, flush=True)
            missed += not row.holds
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
