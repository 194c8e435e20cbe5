"""What a mutant is, and what a family of mutants is held to."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bench.grounding.judging import NONE, Judged
from bench.grounding.scenes import Call, Claim
from bench.grounding.truth import Truth


class Twist(NamedTuple):
    """What a maker makes of a truth: the claims to judge, and the calls where they differ from the scene's. `at` names those that must
    not be said in full; all of them where it is empty."""

    claims: tuple[Claim, ...]
    calls: tuple[Call, ...] | None = None
    at: tuple[str, ...] = ()


Maker = Callable[[Truth, random.Random], Twist | Claim | None]


class Family(NamedTuple):
    """`kinds` by name. `firm` families must not be said at all, as a true claim of their kind is hedged anyway. `target` is the share."""

    name: str
    target: float
    kinds: Mapping[str, Maker]
    firm: bool = False


class Mutant(NamedTuple):
    """One mutant of the claim of a scene."""

    family: str
    kind: str
    world: str
    of: str
    twist: Twist
    firm: bool

    def judged_ids(self) -> Sequence[str]:
        """The claims that count."""
        return self.twist.at or [c["claim_id"] for c in self.twist.claims]


class Outcome(NamedTuple):
    """A mutant and what became of it: the best that any of its claims came to."""

    mutant: Mutant
    best: Judged

    @property
    def caught(self) -> bool:
        """No claim of it may be said as it stands; of a firm family, not even with a hedge."""
        return self.best.expressible == NONE if self.mutant.firm else not self.best.held

    @property
    def rejected(self) -> bool:
        """No claim of it may be said at all."""
        return self.best.expressible == NONE


def as_twist(made: Twist | Claim | None) -> Twist | None:
    """A single claim is a twist of one."""
    return Twist((made,)) if isinstance(made, dict) else made


def bound(claim: Claim, n: int = 0) -> dict[str, Any]:
    """A copy of a claim's citation."""
    return dict(claim["evidence"][n])


def citing(claim: Claim, *evidence: Mapping[str, Any], **changed: Any) -> Claim:
    """The claim with other citations. Typed facts rest on the old ones and go."""
    return {**claim, "evidence": [dict(e) for e in evidence], "facts": [], **changed}
