"""Numbers, units and times that the record does not have.

Guard of a number: no number of the record, of the call's parameters or beside the node equals it at the precision shown, in any usual unit;
where the claim says "about", it is off by a third too. Swapped numbers both stand in the record, and differ. Guard of a time: it stands
nowhere in the record; the time of another point has another value.
"""

import random
import re
from datetime import UTC, datetime, timedelta

from bench.grounding.mutant import Maker
from bench.grounding.scenes import Claim
from bench.grounding.truth import NUMBER, TIME, VAGUE, VAGUE_SHARE, Truth, picked, put

TRIES = 12
BARE = re.compile(r"[.,;]?\Z|[,;] | at |[。，]")  # what follows a number without a unit
SHIFTS = (timedelta(minutes=-37), timedelta(minutes=53), timedelta(hours=1), timedelta(hours=-8), timedelta(days=1), timedelta(hours=12))
ZONES = ("+08:00", "-07:00", "+05:30", "+02:00")
UNITS = (
    # what stands after the number, in the sentence, and what it becomes
    (r"percent\b", ("ms", "seconds", "count", "GB")), (r"%", (" ms", " s", " GB")), (r"milliseconds\b", ("seconds", "minutes", "percent")),
    (r"ms\b", ("s", "minutes", "MB", "%")), (r"seconds\b", ("milliseconds", "minutes", "percent")), (r"s\b", ("ms", "minutes", "%")),
    (r"minutes\b", ("hours", "seconds", "days")), (r"hours\b", ("minutes", "days", "seconds")), (r"KB\b", ("MB", "GB", "ms")),
    (r"bytes\b", ("KB", "MB", "GB")), (r"count\b", ("percent", "ms", "seconds")), (r"分钟", ("小时", "秒", "天")),
    (r"vCPUs\b", ("GB", "percent")), (r"millicores?\b", ("cores", "percent")),
)  # fmt: skip


def _digit(truth: Truth, chance: random.Random) -> Claim | None:
    return _changed(truth, chance, lambda digits: _another_digit(digits, chance))


def _transposed(truth: Truth, chance: random.Random) -> Claim | None:
    return _changed(truth, chance, lambda digits: _turned(digits, chance))


def _dropped_digit(truth: Truth, chance: random.Random) -> Claim | None:
    def drop(digits: str) -> str:
        at = chance.randrange(len(digits))
        return digits[:at] + digits[at + 1 :]

    return _changed(truth, chance, drop)


def _scaled(truth: Truth, chance: random.Random) -> Claim | None:
    """Ten, a hundred or a million times as much, or a part of it; a thousand is another unit's number and left out."""
    factor = chance.choice((10.0, 0.1, 50.0, 0.02, 4.0, 2.5))
    return _changed(truth, chance, lambda digits: f"{float(digits) * factor:.6g}")


def _raised(truth: Truth, chance: random.Random) -> Claim | None:
    return _changed(truth, chance, lambda digits: f"{float(digits) * chance.uniform(1.06, 1.35):.{_places(digits)}f}")


def _swapped(truth: Truth, chance: random.Random) -> Claim | None:
    """Two numbers of the sentence in each other's place."""
    found = truth.spoken(NUMBER)
    pairs = [(a, b) for n, a in enumerate(found) for b in found[n + 1 :] if float(a[0]) != float(b[0]) and not _alike(a[0], b[0])]
    pair = picked(chance, pairs)
    if pair is None:
        return None
    return truth.saying(put(put(truth.text, pair[1], pair[0][0]), pair[0], pair[1][0]))


def _of_another_field(truth: Truth, chance: random.Random) -> Claim | None:
    """The value of another field of the record, under this one's name."""
    number = picked(chance, truth.spoken(NUMBER))
    if number is None:
        return None
    told = {float(m[0]) for m in truth.spoken(NUMBER)}
    other = [v for v in truth.fields.values() if isinstance(v, int | float) and not isinstance(v, bool) and v > 0]
    apart = [v for v in other if all(abs(v - t) > 0.3 * max(v, t) for t in told) and "e" not in str(v)]
    value = picked(chance, apart)
    return None if value is None or _ratio(truth) else truth.saying(put(truth.text, number, f"{value:g}"))


def _ratio(truth: Truth) -> bool:
    """A sentence about a quotient may be true of other pairs of values."""
    return re.search(r"times|%", truth.text) is not None


def _alike(a: str, b: str) -> bool:
    return abs(float(a) - float(b)) <= VAGUE_SHARE * max(float(a), float(b))


def _changed(truth: Truth, chance: random.Random, change: object) -> Claim | None:
    assert callable(change)
    number = picked(chance, truth.spoken(NUMBER))
    for _ in range(TRIES if number else 0):
        new = change(number[0])
        if new and NUMBER.fullmatch(new) and _is_false(truth, number, new):
            return truth.saying(put(truth.text, number, new))
    return None


def _is_false(truth: Truth, number: re.Match[str], new: str) -> bool:
    old, value = float(number[0]), float(new)
    vague = VAGUE.search(truth.text[max(0, number.start() - 16) : number.start()]) or "more than" in truth.text
    if vague and abs(value - old) < VAGUE_SHARE * max(old, value):
        return False
    if "more than" in truth.text and value < old:
        return False
    return value != old and not truth.has_number(value, _places(new))


def _places(digits: str) -> int:
    return len(digits.partition(".")[2])


def _another_digit(digits: str, chance: random.Random) -> str:
    at = chance.choice([n for n, c in enumerate(digits) if c.isdigit()])
    return digits[:at] + chance.choice([d for d in "123456789" if d != digits[at]]) + digits[at + 1 :]


def _turned(digits: str, chance: random.Random) -> str:
    places = [n for n in range(len(digits) - 1) if digits[n].isdigit() and digits[n + 1].isdigit() and digits[n] != digits[n + 1]]
    at = picked(chance, places)
    return "" if at is None else digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]


def _unit(truth: Truth, chance: random.Random) -> Claim | None:
    """Another unit after the same number, which is not nought."""
    places = []
    for number in truth.spoken(NUMBER):
        for unit, others in UNITS:
            found = re.compile(rf"\s?{unit}").match(truth.text, number.end())
            if found and float(number[0]):
                places.append((found, others))
                break
    place = picked(chance, places)
    if place is None:
        return None
    found, others = place
    lead = " " if found[0].startswith(" ") else ""
    return truth.saying(put(truth.text, found, lead + chance.choice(others).strip() if lead else chance.choice(others)))


def _unit_added(truth: Truth, chance: random.Random) -> Claim | None:
    """A unit where the record has a bare count or another unit."""
    number = picked(chance, [m for m in truth.spoken(NUMBER) if BARE.match(truth.text, m.end()) and float(m[0])])
    unit = str(truth.fields.get("unit", "Count"))
    others = [u for u, names in ADDED.items() if unit not in names]
    return None if number is None else truth.saying(put(truth.text, number, f"{number[0]} {chance.choice(others)}"))


ADDED = {
    "percent": ("Percent", "None", "Count"), "ms": ("Milliseconds", "Seconds"), "seconds": ("Seconds", "Milliseconds"),
    "GB": ("Bytes", "Megabytes", "Gigabytes"), "minutes": (),
}  # fmt: skip


def _shifted(truth: Truth, chance: random.Random) -> Claim | None:
    when = picked(chance, truth.spoken(TIME))
    for _ in range(TRIES if when else 0):
        new = _moved(when[0], chance.choice(SHIFTS))
        if new and new[-9:-1] not in truth.record and new[11:16] not in truth.record and new not in truth.record:
            return truth.saying(put(truth.text, when, new))
    return None


def _seconds(truth: Truth, chance: random.Random) -> Claim | None:
    """A few minutes or seconds off, and nowhere in the record."""
    when = picked(chance, truth.spoken(TIME))
    for _ in range(TRIES if when else 0):
        new = _moved(when[0], timedelta(minutes=chance.randint(1, 9), seconds=chance.randint(1, 58)) * chance.choice((1, -1)))
        if new and new[:16] not in truth.record and new[11:16] not in truth.record and new not in truth.record:
            return truth.saying(put(truth.text, when, new))
    return None


def _zone(truth: Truth, chance: random.Random) -> Claim | None:
    """The same clock in another zone."""
    when = picked(chance, [m for m in truth.spoken(TIME) if m[0].endswith("Z")])
    return None if when is None else truth.saying(put(truth.text, when, when[0][:-1] + chance.choice(ZONES)))


def _other_point(truth: Truth, chance: random.Random) -> Claim | None:
    """The time of another point of the series, which has another value."""
    points = truth.nodes[0].get("points") if truth.nodes and isinstance(truth.nodes[0], dict) else None
    when = picked(chance, [m for m in truth.spoken(TIME) if m[0] == truth.fields.get("worst_at")])
    if not points or when is None or " begin" in truth.text:
        return None
    worst = truth.fields["worst"]
    others = [
        t for t, v in points if t not in (when[0], truth.fields.get("onset"), truth.fields.get("recovered_at")) and not _near(v, worst)
    ]
    new = picked(chance, others)
    return None if new is None else truth.saying(put(truth.text, when, new))


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 0.1 * max(abs(a), abs(b))


def _moved(text: str, by: timedelta) -> str | None:
    if "T" not in text:
        clock = datetime.strptime(text[:5], "%H:%M").replace(tzinfo=UTC) + by
        return clock.strftime("%H:%M:%S" if text.count(":") == 2 else "%H:%M")
    try:
        return (datetime.fromisoformat(text) + by).isoformat().replace("+00:00", "Z")
    except ValueError:
        return None


NUMBERS: dict[str, Maker] = {
    "digit": _digit, "transposed": _transposed, "dropped digit": _dropped_digit, "scaled": _scaled, "raised a little": _raised,
    "two swapped": _swapped, "another field's": _of_another_field,
}  # fmt: skip

UNIT: dict[str, Maker] = {"exchanged": _unit, "added": _unit_added}
TIMES: dict[str, Maker] = {"shifted": _shifted, "minutes off": _seconds, "zone": _zone, "another point's": _other_point}
