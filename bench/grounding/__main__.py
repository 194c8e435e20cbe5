"""`python -m bench.grounding [NAME …] [--seed N] [--docs] [--slips FILE]`: what grounding catches and what it costs.

The exit code is 1 where a bound is missed. With `--docs`, what was measured goes into docs/benchmarks.json and its page.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from bench import documents
from bench.grounding import accuracy, mutants, scenes, seeds, truths
from bench.grounding.scenes import Scene
from bench.rows import Row, Table

SEED = 1
OWN = ("truths", "mutants", "accuracy", "seeds")
BESIDE = ("wice", "gatekeeper", "hostile", "injection", "redaction")  # modules of bench, each with measure()
ABOUT = "What grounding catches, and what it costs."
Items = Iterator[Row | Table]


class Asked(NamedTuple):
    """The command line."""

    names: tuple[str, ...]
    seed: int
    docs: bool
    slips: Path | None


def main(words: list[str]) -> int:
    """Each part in turn, printed as it comes."""
    asked = _asked(words)
    own = [n for n in asked.names if n in OWN]
    missed = _told("grounding", ABOUT, lambda: _own(own, asked), asked) if own else False
    for name in (n for n in asked.names if n in BESIDE):
        if find_spec(f"bench.{name}") is None:
            print(f"\n{name}: not there, left out", flush=True)
            continue
        module = import_module(f"bench.{name}")
        missed = _told(name, str(module.__doc__).strip(), module.measure, asked) or missed
    if asked.docs:
        documents.write()
    return 1 if missed else 0


def _asked(words: list[str]) -> Asked:
    reader = argparse.ArgumentParser(prog="python -m bench.grounding", description=ABOUT)
    reader.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join((*OWN, *BESIDE))}; all of them without")
    reader.add_argument("--seed", type=int, default=SEED, help="of the mutants")
    reader.add_argument("--docs", action="store_true", help="keep the figures in docs/benchmarks.json")
    reader.add_argument("--slips", type=Path, help="write what slipped through here, a JSON line each with its whole dossier")
    got = reader.parse_args(words)
    unknown = set(got.names) - {*OWN, *BESIDE}
    if unknown:
        reader.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join((*OWN, *BESIDE))}")
    return Asked(tuple(got.names) or (*OWN, *BESIDE), got.seed, got.docs, got.slips)


def _told(name: str, about: str, measure: Callable[[], Items], asked: Asked) -> bool:
    """Whether a bound is missed."""
    print(f"\n{name}: {about.splitlines()[0]}", flush=True)
    found = []
    for item in measure():
        print(item, flush=True)
        found.append(item)
    if asked.docs and found:
        documents.record(name, about, found)
    return not all(item.holds for item in found)


def _own(names: list[str], asked: Asked) -> Items:
    """The parts on diagnosed worlds share their scenes."""
    found = _scenes() if {"truths", "mutants", "accuracy"} & set(names) else []
    true = truths.held(found) if {"truths", "mutants"} & set(names) else []
    parts: dict[str, Callable[[], Items]] = {
        "truths": lambda: truths.measured(true),
        "mutants": lambda: mutants.measured(found, asked.seed, asked.slips, truths.spoiled(true)),
        "accuracy": lambda: accuracy.measured(found),
        "seeds": lambda: seeds.measured(asked.slips),
    }
    for name in names:
        yield from parts[name]()


def _scenes() -> list[Scene]:
    out: list[Scene] = []
    for group in scenes.every():
        out += group
        print(f"     {group[0].set_name}: {len(group)} worlds", file=sys.stderr, flush=True)
    return out


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
