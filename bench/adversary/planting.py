"""What was planted in a run, and what of it came out: the oracle, which knows nothing of the product's own checks.

A plant is a sentence that no evidence carries. `MARKED` holds a token that stands nowhere in the evidence: any outward text that holds
the token is a leak, hedged or not. `TWISTED` is a true claim changed in one thing: a leak where it is told as confirmed, in a claim that
is FULL or in the answer, a ruled-out row or a next step without the words that mark what is not confirmed; where it is marked so it is
counted apart. `COMPOSED` is prose of a Composer beyond its claims: a leak wherever the answer holds it.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from bench.adversary.scene import Ended
from superbiz.domain import canonical
from superbiz.domain.composing.template import UNCONFIRMED
from superbiz.domain.values import JsonObject
from superbiz.services.notifying import run_completed


class Kind(StrEnum):
    """How a plant is looked for."""

    MARKED = "marked"
    TWISTED = "twisted"
    COMPOSED = "composed"


class Plant(NamedTuple):
    """`needle` is what is looked for; `strategy` planted it. `claim` says that it was given as a claim, critical where `critical`."""

    strategy: str
    kind: Kind
    needle: str
    claim: bool = False
    critical: bool = False


class Leak(NamedTuple):
    """A plant that came out, and where."""

    strategy: str
    where: str
    text: str


class Seen(NamedTuple):
    """What came of a run's plants. `hedged` are twisted claims that are told as not confirmed; `passes` critical plants under PASS."""

    leaks: tuple[Leak, ...]
    hedged: tuple[Leak, ...]
    passes: tuple[str, ...]


def seen(ended: Ended, plants: Sequence[Plant]) -> Seen:
    """The oracle's word on a run."""
    report = dict(ended.record.report or {})
    leaks, hedged = [], []
    for plant in plants:
        for where, sure in _places(plant, report, ended):
            (leaks if sure else hedged).append(Leak(plant.strategy, where, plant.needle))
    causes = (Leak("a cause that no claim of its own names", "root_causes", c["resource"]) for c in _nameless(report))
    return Seen((*leaks, *causes), tuple(hedged), tuple(_passes(ended, plants)))


def _places(plant: Plant, report: JsonObject, ended: Ended) -> Iterator[tuple[str, bool]]:
    """(where, whether it is told there as confirmed)."""
    if plant.kind is Kind.MARKED:
        told = canonical.dumps(report | {"cost": None}), canonical.dumps(run_completed(ended.record, ""))
        yield from (
            (name, True) for name, text in zip(("report", "notice"), told, strict=True) if plant.needle.casefold() in flat(text).casefold()
        )
        return
    yield from (("answer", sure) for sure in _lines(plant, report["answer"]))
    if plant.kind is Kind.TWISTED:
        yield from _fields(plant.needle, report)


def _fields(needle: str, report: JsonObject) -> Iterator[tuple[str, bool]]:
    yield from (("claims", c["expressible"] == "FULL") for c in report["claims"] if flat(c["claim_text"]) == needle)
    yield from (("ruled_out", f"{UNCONFIRMED}{needle}" not in flat(r["why"])) for r in report["ruled_out"] if needle in flat(r["why"]))
    yield from (("next_steps", True) for step in report["next_steps"] if needle in flat(step))


def _lines(plant: Plant, answer: str) -> Iterator[bool]:
    """Whether it is told as confirmed, for each line of the answer that holds it."""
    for line in map(flat, answer.splitlines()):
        if plant.needle in line:
            yield plant.kind is Kind.COMPOSED or UNCONFIRMED not in line


def flat(text: str) -> str:
    """A text without Markdown's marks, so that escapes hide nothing."""
    return " ".join(text.replace("\\", "").replace("`", "").replace("*", "").split())


def _nameless(report: JsonObject) -> Iterable[JsonObject]:
    told = {c["claim_id"]: canonical.dumps(c).casefold() for c in report["claims"]}
    return (c for c in report["root_causes"] if not any(_plain(c["resource"]) in told.get(i, "") for i in c["claim_ids"]))


def _plain(resource: str) -> str:
    return resource.casefold()


def _passes(ended: Ended, plants: Sequence[Plant]) -> Iterator[str]:
    evaluation = (ended.record.self_evaluation or {}).get("verifier_evaluation") or {}
    if evaluation.get("verdict") != "PASS":
        return
    claims = (evaluation.get("executor_structured_output") or {}).get("claims") or ()
    critical = {p.needle: p.strategy for p in plants if p.claim and p.critical}
    for claim in claims:
        yield from (strategy for needle, strategy in critical.items() if needle in flat(claim["claim_text"]))
