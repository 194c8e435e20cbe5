"""The catalogue: incidents of every kind that the investigator must tell apart, and quiet hours that look like one.

One function a world. Its docstring tells what happens, what a good engineer concludes, and why.
"""

from collections.abc import Mapping
from inspect import getdoc
from pathlib import Path

from superbiz_cli.simulator import scenario, writing
from superbiz_cli.simulator.catalogue import databases, dependencies, kubernetes, quiet, unclear
from superbiz_cli.simulator.catalogue.story import Story, Teller, Truth

_TELLERS: tuple[Teller, ...] = (
    databases.connections_leaked,
    dependencies.provider_down,
    kubernetes.crash_loop,
    quiet.tight_alarm,
    unclear.edge_only,
)
CATALOGUE: Mapping[str, Teller] = {teller().scenario.id: teller for teller in _TELLERS}


def notes(name: str) -> str:
    """What happens in a world and what is to be concluded, on one line."""
    return " ".join((getdoc(CATALOGUE[name]) or "").split())


def write_all(folder: Path, seed: int) -> None:
    """Every world, and `truth.json` beside them."""
    told = {name: teller() for name, teller in CATALOGUE.items()}
    for name, story in told.items():
        scenario.write(folder / name, story.scenario, seed)
    writing.write_json(folder / "truth.json", {name: story.truth.as_row(notes(name)) for name, story in told.items()})


__all__ = ["CATALOGUE", "Story", "Truth", "notes", "write_all"]
