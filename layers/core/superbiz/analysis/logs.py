"""Log shifts: which statements come more often, less often, for the first time or no longer, and which no longer follow another.

Counts are compared by *requests* (distinct traces) where lines name their spans, else by lines. Where spans are known, so is the order
of statements within one operation: that Y no longer follows X is evidence of its own, and many a code fault shows in no other way.
"""

from typing import NamedTuple

from superbiz.analysis.sampling import InSpan
from superbiz.analysis.statistics import exact_surprise, overdispersion, surprise
from superbiz.analysis.tallying import END, MOST_SIGHTINGS, START, Count, Place, Said, Sighting, Step, Tally

__all__ = [
    "END", "MOST_SIGHTINGS", "START", "Burst", "Count", "InSpan", "Place", "Said", "Shift", "Sighting", "Step", "Tally", "bursts",
    "quiet", "statements", "steps",
]  # fmt: skip

FEWEST = 2  # requests on either side that are compared
FEW = 32  # requests of a sample; of a statement that has fewer, the lines are compared, which are all counted


class Shift(NamedTuple):
    """`times` of `of` now, `normal` of `normal_of` then. `score` is signed, about a standard normal where nothing changed."""

    what: Said | Step
    times: int
    of: int
    normal: int
    normal_of: int
    score: float

    @property
    def change(self) -> str:
        """New, gone, more or fewer."""
        if not (self.times and self.normal):
            return "gone" if self.normal else "new"
        return "more" if self.score > 0 else "fewer"


def statements(now: Tally, normal: Tally) -> list[Shift]:
    """Every statement's shift at every place that both periods know, largest first."""
    return _calmed([_shift(said, *_counts(said, now, normal)) for said in {*now.said, *normal.said} if _is_placed(said, now, normal)])


def steps(now: Tally, normal: Tally) -> list[Shift]:
    """How often one statement follows another, by requests that make the first one at all; largest shift first."""
    found = []
    for step in {*now.steps, *normal.steps}:
        leaving = Said(step.place, step.after)
        x, y = len(now.steps.get(step, ())), len(normal.steps.get(step, ()))
        found.append(_shift(step, x, now.left(leaving), y, normal.left(leaving)))
    return _ordered(found)


class Burst(NamedTuple):
    """A service's bad lines among all its lines, now and in the normal period."""

    service: str
    bad: int
    lines: int
    normal_bad: int
    normal_lines: int
    score: float


def bursts(now: Tally, normal: Tally | None) -> list[Burst]:
    """Services whose share of bad lines grew, largest first; without a normal period those that have bad lines."""
    rows = [_burst(service, now, normal) for service in now.by_service]
    return sorted((r for r in rows if r.score > 0), key=lambda r: (-r.score, -r.bad, r.service))


def quiet(now: Tally, normal: Tally | None) -> list[Burst]:
    """Services that spoke and said nothing bad: positive observations, most lines first."""
    rows = [_burst(service, now, normal) for service in now.by_service if not now.bad_by_service[service]]
    return sorted(rows, key=lambda r: (-r.lines, r.service))


def _burst(service: str, now: Tally, normal: Tally | None) -> Burst:
    bad, lines = now.bad_by_service[service], now.by_service[service]
    normal_bad, normal_lines = (normal.bad_by_service[service], normal.by_service[service]) if normal else (0, 0)
    # where nothing is known of ordinary days, bad lines are taken against an equal number of good ones
    score = surprise(bad, lines, normal_bad, normal_lines or lines)
    return Burst(service, bad, lines, normal_bad, normal_lines, score)


def _is_placed(said: Said, now: Tally, normal: Tally) -> bool:
    """Where not all spans are known, lines without an operation are a mixture that says nothing."""
    return said.place.operation != "" or not (now.unindexed or normal.unindexed)


def _counts(said: Said, now: Tally, normal: Tally) -> tuple[int, int, int, int]:
    """By requests where lines of both periods name them, else by lines at the same place."""
    here, there = now.said.get(said), normal.said.get(said)
    x, y = (len(seen.requests) if seen else 0 for seen in (here, there))
    of, normal_of = now.requests(said.place), normal.requests(said.place)
    too_few = min(now.share, normal.share) < 1 and max(x, y) < FEW
    if of and normal_of and not too_few:
        return x, of, y, normal_of
    return here.count if here else 0, now.lines_at[said.place], there.count if there else 0, normal.lines_at[said.place]


def _shift(what: Said | Step, x: int, of: int, y: int, normal_of: int) -> Shift:
    return Shift(what, x, of, y, normal_of, exact_surprise(min(x, of), of, min(y, normal_of), normal_of))


def _calmed(shifts: list[Shift]) -> list[Shift]:
    """Requests differ, so statements vary more than chance: scores are divided by how much they do over all."""
    spread = overdispersion(s.score for s in shifts)
    return _ordered([s._replace(score=s.score / spread) for s in shifts])


def _ordered(shifts: list[Shift]) -> list[Shift]:
    kept = [s for s in shifts if min(s.of, s.normal_of) >= FEWEST and s.score]
    return sorted(kept, key=lambda s: (-abs(s.score), _key(s.what)))


def _key(what: Said | Step) -> tuple[str, ...]:
    return tuple(map(str, what))
