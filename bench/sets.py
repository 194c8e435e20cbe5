"""The sets of incidents with a known truth that are at hand."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import recorded
from bench.diagnosing import Case

# Folder of a recorded set -> its name.
RECORDED = {"petshop": "PetShop", "trainticket": "Train Ticket"}


def recorded_set(name: str) -> list[Case]:
    """The worlds of a recorded set; none where the set is not on this machine."""
    place = recorded.folder(name)
    if place is None:
        return []
    truth = json.loads((place / "truth.json").read_text(encoding="utf-8"))
    worlds = place / "worlds"
    return [Case(RECORDED[name], world, worlds / world, true, group_of(worlds / world)) for world, true in sorted(truth.items())]


def simulated(out: Path, seeds: Sequence[int]) -> list[Case]:
    """The project's own incidents, written once a seed."""
    from superbiz_cli.simulator import catalogue

    cases = []
    for seed in seeds:
        place = out / f"seed-{seed}"
        catalogue.write_all(place, seed)
        truth = json.loads((place / "truth.json").read_text(encoding="utf-8"))
        cases += [
            Case("Simulated", f"{world}-{seed}", place / world, true, f"seed {seed}", "written") for world, true in sorted(truth.items())
        ]
    return cases


def group_of(folder: Path) -> str:
    """What worlds are told apart by: the metric that an alarm is about, else the day of the question."""
    trigger, head = folder / "trigger.json", json.loads((folder / "world.json").read_text(encoding="utf-8"))
    if not trigger.is_file():
        return f"day {head['now'][:10]}"
    asked: dict[str, Any] = json.loads(trigger.read_text(encoding="utf-8"))["detail"]["configuration"]["metrics"][0]["metricStat"]["metric"]
    return f"alarm on {asked['name']}"
