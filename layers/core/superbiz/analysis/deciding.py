"""From signs to a conclusion: ranked causes with category and score, and the policy table that ends a diagnosis."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from superbiz.analysis.statistics import joint
from superbiz.domain.claims import Conclusion, FaultCategory

SIGNIFICANT = 0.01  # probability below which something is no ordinary window
NOISE = 1e-6  # strengths below are rounding
TELLING = 1.0  # strength of a sign that stands without a symptom behind it
SUBSTANTIAL = 1.5  # of a suspect along the map: its surplus explains most of the symptom
LEAD = 0.4
TRAIL = 0.8
FAINT = 0.3  # what is over weighs no more than this, and speaks for nobody
PREVAILS = 0.5  # of the strongest sign's strength, from which a known fault names the category
NOTABLE = 0.5  # strength from which a sign is worth attention
NAMED = 0.75  # and from which a question's first suspect is named
COMMON = 0.3  # a symptom that nearly every third ordinary window shows is no fault, whoever else has a bad moment
UNUSUAL = 0.05  # rarity from which a symptom is out of the ordinary by itself
REAL = 0.02  # and from which it can not be called ordinary, even where nobody stands out


class Channel(StrEnum):
    """Independent ways of knowing."""

    SUSPECT = "suspect"
    SYMPTOM = "symptom"
    CONDITION = "condition"
    STEP = "step"
    LINE = "line"
    BURST = "burst"
    NETWORK = "network"
    ERRORS = "errors"
    CALLS = "calls"
    EVENT = "event"
    CHANGE = "change"
    FAULT = "fault"


UNTELLING = (Channel.SYMPTOM, Channel.CHANGE)  # a symptom is no cause, and changes are made on any day


class Sign(NamedTuple):
    """One finding that speaks for one resource. `key` is the finder's own handle on its record.

    A sign of a known fault names it, and `also` holds the keys of the other records that it was recognised by.
    """

    resource: str
    channel: Channel
    strength: float
    category: FaultCategory = FaultCategory.GENERAL
    operation: str | None = None
    key: str = ""
    fault: str = ""
    also: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """A ranked resource with its signs, strongest first. `score` is in [0, 1]; equal evidence has equal score."""

    resource: str
    operation: str | None
    category: FaultCategory
    strength: float
    score: float
    signs: tuple[Sign, ...]


class Symptom(NamedTuple):
    """The alarm's own metric: how rare its worst value is in ordinary windows, and how rare the first suspect's own excess is.

    The suspect is the first of so many `nodes`: the more there are, the rarer has its excess to be. `recovered` says that the metric came
    back to what is ordinary for it, and stayed there; `pressed` that it is near its limit, which is no health even where it is often so;
    `mild` that it hardly left its ordinary widths, `proportional` that as a share of the requests it did not.
    """

    rarity: float
    suspect_rarity: float
    nodes: int = 1
    recovered: bool = False
    pressed: bool = False
    mild: bool = False
    proportional: bool = False

    @property
    def stands_out(self) -> bool:
        """Symptom and suspect together are no ordinary window, and at least one of them is none by itself."""
        if self.proportional:
            return False
        rare = self.rarity <= UNUSUAL or self.suspect_rarity * self.nodes <= SIGNIFICANT
        return rare and self.rarity <= COMMON and joint(self.rarity, self.suspect_rarity) <= SIGNIFICANT


class Picture(NamedTuple):
    """What the conclusion rests on. `measured` says that there is anything to judge by at all."""

    symptom: Symptom | None
    candidates: Sequence[Candidate]
    measured: bool

    @property
    def first(self) -> float:
        """The strongest sign of the first candidate, but for its part in the symptom and for changes, which many days have."""
        own = (s.strength for c in self.candidates[:1] for s in c.signs if s.channel not in (Channel.SUSPECT, *UNTELLING))
        return max(own, default=0.0)

    @property
    def attributed(self) -> bool:
        """Whether anything but the symptom itself speaks for the first candidate."""
        signs = (s for c in self.candidates[:1] for s in c.signs if s.channel not in UNTELLING)
        return any(s.strength > (SUBSTANTIAL if s.channel is Channel.SUSPECT else NOTABLE) for s in signs)


class Rule(NamedTuple):
    """A row of the policy: the first whose condition holds decides."""

    conclusion: Conclusion
    reason: str
    holds: Callable[[Picture], bool]


RULES = (
    Rule(Conclusion.INCONCLUSIVE, "nothing could be measured", lambda p: not p.measured),
    Rule(Conclusion.ROOT_CAUSE, "a suspect has a telling sign of its own", lambda p: p.first >= TELLING),
    Rule(
        Conclusion.ROOT_CAUSE,
        "the symptom and its first suspect together are no ordinary window",
        lambda p: p.attributed and p.symptom is not None and p.symptom.stands_out,
    ),
    Rule(
        Conclusion.NO_FAULT,
        "the alarm's metric stayed within what is ordinary",
        lambda p: p.symptom is not None and _is_ordinary(p.symptom),
    ),
    Rule(
        Conclusion.NO_FAULT,
        "the alarm's metric is back within what is ordinary, and nothing else stands out",
        lambda p: p.symptom is not None and p.symptom.recovered and p.first < NOTABLE,
    ),
    Rule(Conclusion.INCONCLUSIVE, "the symptom is real and no suspect stands out", lambda p: p.symptom is not None),
    Rule(Conclusion.ROOT_CAUSE, "the first suspect stands out", lambda p: p.attributed and p.candidates[0].strength >= NAMED),
    Rule(Conclusion.INCONCLUSIVE, "no suspect stands out", lambda _: True),
)


def _is_ordinary(symptom: Symptom) -> bool:
    return (symptom.rarity > REAL or symptom.mild or symptom.proportional) and not symptom.pressed


def decide(picture: Picture) -> Rule:
    """The first row of the policy that holds."""
    return next(rule for rule in RULES if rule.holds(picture))


def rank(signs: Iterable[Sign]) -> list[Candidate]:
    """Resources by joint strength, ties by name. Signs of several channels add as independent distances do."""
    grouped: dict[str, list[Sign]] = defaultdict(list)
    for sign in signs:
        if sign.strength > NOISE:
            grouped[sign.resource].append(sign)
    ordered = sorted(((_strength(s), name, s) for name, s in grouped.items()), key=lambda row: (-row[0], row[1]))
    return [_candidate(name, strength, found, _rival(ordered, n)) for n, (strength, name, found) in enumerate(ordered)]


def confidence(ranked: Sequence[Candidate]) -> list[float]:
    """The chance that each is the cause, where a cause is concluded: the first gets what experience adds to its score, ties share it.

    LEAD and TRAIL are fitted to how often causes of such scores were right (docs/benchmarks.md, reliability).
    """
    if not ranked:
        return []
    tied = sum(c.strength == ranked[0].strength for c in ranked)
    lead = round((LEAD + (1 - LEAD) * ranked[0].score) / tied, 6)
    return [lead if n < tied else round(min(TRAIL * c.score, lead), 6) for n, c in enumerate(ranked)]


def _strength(signs: Sequence[Sign]) -> float:
    """The strongest of each channel; a record that a stronger sign rests on has had its say."""
    best: dict[Channel, float] = defaultdict(float)
    heard: set[str] = set()
    for sign in sorted(signs, key=lambda s: -s.strength):
        if not sign.key or sign.key not in heard:
            best[sign.channel] = max(best[sign.channel], sign.strength)
        heard.update((sign.key, *sign.also))
    return round(math.sqrt(sum(v * v for v in best.values())), 9)


def _rival(ordered: Sequence[tuple[float, str, list[Sign]]], n: int) -> float:
    """The strongest other resource."""
    return ordered[1][0] if n == 0 and len(ordered) > 1 else 0.0 if n == 0 else ordered[0][0]


def _candidate(name: str, strength: float, signs: list[Sign], rival: float) -> Candidate:
    """The score is how sure the evidence is, times its share against the strongest rival."""
    signs = sorted(signs, key=lambda s: (-s.strength, s.channel, s.key))
    score = (1 - math.exp(-strength)) * strength / (strength + rival)
    return Candidate(name, _operation(signs), _category(signs), strength, round(score, 6), tuple(signs))


def _category(signs: Sequence[Sign]) -> FaultCategory:
    """A known fault's where it rests on the strongest record or is nearly as strong; else the strongest sign's that names one."""
    named = [s for s in signs if s.category is not FaultCategory.GENERAL]
    known = (s for s in named if s.channel is Channel.FAULT and _prevails(s, signs[0]))
    return next((s.category for s in (*known, *named)), FaultCategory.GENERAL)


def _prevails(known: Sign, strongest: Sign) -> bool:
    return known.strength >= PREVAILS * strongest.strength or strongest.key in (known.key, *known.also)


def _operation(signs: Sequence[Sign]) -> str | None:
    return next((s.operation for s in signs if s.operation), None)
