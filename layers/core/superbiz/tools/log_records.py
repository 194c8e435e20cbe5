"""Log shifts as records of an output that can be cited. Short fields stand first, so that an excerpt holds them together."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from superbiz.analysis import signatures, weighing
from superbiz.analysis.logs import END, START, Burst, Place, Said, Shift, Sighting, Step, Tally
from superbiz.analysis.templates import Miner, template_of
from superbiz.domain.values import JsonObject
from superbiz.tools.reading import top, when_ms, whole

SHOWN = 300  # characters of a template or raw line
NOTABLE = 0.25  # the weight from which a shift is worth its place


class Telling(NamedTuple):
    """Both periods, and the miner that knows their templates."""

    now: Tally
    normal: Tally
    miner: Miner

    def weighed(self, shifts: Sequence[Shift]) -> list[tuple[Shift, float]]:
        """Shifts worth telling, heaviest first."""
        rows = [(s, self._weight(s)) for s in shifts]
        return sorted((r for r in rows if r[1] >= NOTABLE), key=lambda r: -r[1])

    def statements(self, shifts: Sequence[tuple[Shift, float]], limit: int) -> tuple[list[JsonObject], int]:
        """Those that shifted; where none did, or there is nothing to compare with, bad ones first, then the loudest."""
        if shifts:
            shown, more = top(shifts, limit)
            return [self._statement(s, w) for s, w in shown], more
        loud, more = top(sorted(self.now.said.items(), key=lambda row: (not row[1].bad, -row[1].count, row[0])), limit)
        return [self._loud(said, seen) for said, seen in loud], more

    def step(self, shift: Shift, weight: float) -> JsonObject:
        """One statement that newly follows another, or no longer does. `location` is the place in the code that is reached or missed,
        or where there is none (the operation ends), the last one before it."""
        what = shift.what
        assert isinstance(what, Step)
        then, after = self._sighting(Said(what.place, what.then)), self._sighting(Said(what.place, what.after))
        record = _shifted(shift, what.place, then, weight, "step")
        reached = after.statement.location if after else None
        if reached:
            record |= {"after_location": reached} if record.get("location") else {"location": reached}
        return record | {"then": self._edge(what.place, what.then), "after": self._edge(what.place, what.after)}

    def burst(self, burst: Burst) -> JsonObject:
        """A service's errors, with the statement that most of them make."""
        rows = [row for row in self.now.said.items() if row[0].place.service == burst.service and row[1].bad]
        record: JsonObject = {
            "service": burst.service,
            "bad_lines": burst.bad,
            "lines": burst.lines,
            "normal_bad_lines": burst.normal_bad,
            "normal_lines": burst.normal_lines,
            "score": whole(round(burst.score, 2)),
            "weight": whole(weighing.burst(burst)),
        }
        if not rows:
            return record
        said, seen = max(rows, key=lambda row: row[1].count)
        return record | _traits(seen) | {"statement": self._text(said), "line": seen.sample[:SHOWN]}

    def lines(self, told: Sequence[Said | Step], limit: int) -> list[str]:
        """Raw lines of what was told, bad ones of other statements after them; each statement once."""
        wanted = [what if isinstance(what, Said) else Said(what.place, what.then) for what in told]
        bad = sorted((s for s, seen in self.now.said.items() if seen.bad), key=lambda s: -self.now.said[s].count)
        samples = [seen.sample[: 4 * SHOWN] for s in dict.fromkeys([*wanted, *bad]) if (seen := self.now.said.get(s))]
        return samples[:limit]

    def _sighting(self, said: Said) -> Sighting | None:
        return self.now.said.get(said) or self.normal.said.get(said)

    def _weight(self, shift: Shift) -> float:
        what = shift.what
        if isinstance(what, Said):
            seen = self._sighting(what)
            return weighing.line(shift, bool(seen and seen.bad))
        then = self._sighting(Said(what.place, what.then))
        return weighing.step(shift, what.then, bool(then and then.bad))

    def _statement(self, shift: Shift, weight: float) -> JsonObject:
        what = shift.what
        assert isinstance(what, Said)
        return _shifted(shift, what.place, self._sighting(what), weight, "change") | {"template": self._text(what)}

    def _loud(self, said: Said, seen: Sighting) -> JsonObject:
        counts = {"count": seen.count, "of": self.now.lines_at[said.place]}
        return _place(said.place) | counts | _traits(seen) | {"template": self._text(said)}

    def _edge(self, place: Place, key: str) -> str:
        return {START: "the start", END: "the end"}.get(key) or self._text(Said(place, key))

    def _text(self, said: Said) -> str:
        """Where the line names its place in the code, its own text, masked; else the template."""
        seen = self._sighting(said)
        located = seen is not None and seen.statement.location
        return (template_of(seen.sample) if seen and located else self.miner.template(said.key))[:SHOWN]


def quiet(burst: Burst) -> JsonObject:
    """A service that said nothing bad."""
    return {"service": burst.service, "bad_lines": 0, "lines": burst.lines}


def _place(place: Place) -> dict[str, Any]:
    return {"service": place.service} | ({"operation": place.operation} if place.operation else {})


def _shifted(shift: Shift, place: Place, seen: Sighting | None, weight: float, kind: str) -> JsonObject:
    counts = {"count": shift.times, "of": shift.of, "normal": shift.normal, "normal_of": shift.normal_of}
    judged = {"score": whole(round(shift.score, 2)), "weight": whole(weight)}
    return _place(place) | {kind: shift.change} | counts | (_traits(seen) if seen else {}) | judged


def _traits(seen: Sighting) -> dict[str, Any]:
    """What the statement and its stack trace say of themselves, and when it was made. `thrown_at` is the code that threw."""
    statement, thrown = seen.statement, seen.thrown
    known = signatures.signature_of(f"{thrown.line} {seen.sample}") if seen.bad else None
    out = {
        "level": statement.level or None,
        "exception": seen.exception,
        "location": statement.location or thrown.location,
        "thrown": thrown.line[:SHOWN] or None,
        "thrown_at": thrown.location if statement.location else None,
        "signature": known.name if known else None,
        "category": known.category.value if known else None,
        "first": when_ms(seen.first),
        "last": when_ms(seen.last),
    }
    return {name: value for name, value in out.items() if value is not None}
