"""Times of claims and records. A claim's time is met by a record's at the precision that the claim shows, both in UTC."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from superbiz.domain.reading import zones

_MONTH_NAME = (
    "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
)
_DATE = (
    r"(?P<year>\d{4})[-/](?P<month>\d{2})[-/](?P<day>\d{2})|(?P<day2>\d{2})/(?P<month2>\d{2}|[A-Z][a-z]{2})/(?P<year2>\d{4}|\d{2})"
    r"|(?P<year3>\d{4})\s?年\s?(?P<month3>\d{1,2})\s?月\s?(?P<day3>\d{1,2})\s?[日号]"
)
_CLOCK = (
    r"(?P<hour>[01]?\d|2[0-3])(?::|\s?[点时]\s?)(?P<minute>[0-5]\d)"
    r"(?:(?::|\s?分\s?)(?P<second>[0-5]\d)(?:[.,](?P<part>\d{1,9}))?秒?|\s?分)?"
)
_HALF = r"(?:\s?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
_PART_OF_DAY = r"(?:(?P<early>凌晨|早上|清晨|上午)|(?P<late>下午|傍晚|晚上|中午))?\s?"
DIGIT = re.compile(r"\d")
MOMENT = re.compile(rf"(?<![\d:.])(?:(?:{_DATE})(?:[T :：，]|,\s)?\s?)?{_PART_OF_DAY}{_CLOCK}{_HALF}{zones.AFTER}(?!\d|:\d)")
# "12:01 to 12:46 CEST": the zone is that of both.
SHARED = re.compile(rf"\s?(?:to|until|till|and|[-–—~至到])\s?{_CLOCK}{_HALF}{zones.AFTER}(?!\d|:\d)")
DAY = re.compile(r"(?<![\d/-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?![\dT/-])")
_MONTH = f"(?P<month>{_MONTH_NAME})"
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
WRITTEN_DAYS = (
    re.compile(rf"(?<![\w-]){_NTH}\s(?:of\s)?{_MONTH}\b\.?(?:,?\s(?P<year>\d{{4}}))?(?![\w-])"),
    re.compile(rf"(?<![\w-]){_MONTH}\.?\s{_NTH}(?:,?\s(?P<year>\d{{4}}))?(?![\w:-])"),
    re.compile(r"(?<!\d)(?:(?P<year>\d{4})\s?年\s?)?(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?[日号]"),
)
_MONTHS = {"JanFebMarAprMayJunJulAugSepOctNovDec"[3 * n : 3 * n + 3]: n + 1 for n in range(12)}
LONGEST = 40  # characters of a text that is a time alone
EPOCHS = ((1e9, 4e9, 1.0), (1e12, 4e12, 1e-3))


class Moment(NamedTuple):
    """`day` is None where only a clock is given, without a year where none is written;
    `second` is None where it shows minutes alone, `clock` None where it is a day."""

    text: str
    day: str | None
    clock: tuple[int, int] | None
    second: int | None
    span: tuple[int, int] = (0, 0)
    field: str = ""  # the record's
    readings: tuple[tuple[str | None, tuple[int, int]], ...] = ()  # other days and clocks, where the zone's name means two

    @property
    def order(self) -> tuple[str, int, int, int]:
        return (self.day or "", *(self.clock or (0, 0)), self.second or 0)


def in_text(text: str) -> Iterator[Moment]:
    """The times of a text; days that stand alone come after them."""
    if not DIGIT.search(text):
        return
    at = 0
    while found := MOMENT.search(text, at):
        moment = _moment(found)
        yield moment
        at = max(moment.span[1], found.start() + 1)
    for found in DAY.finditer(text):
        if not MOMENT.match(text, found.start()):
            yield Moment(found[0], found[0], None, None, found.span())
    for found in (f for form in WRITTEN_DAYS for f in form.finditer(text)):
        month, day = _month(found["month"]), int(found["day"])
        yield Moment(found[0], f"{found['year'] or ''}-{month:02}-{day:02}", None, None, found.span())


def blanked(text: str) -> str:
    """The text with spaces for its times, whose digits are no numbers."""
    if not DIGIT.search(text):
        return text
    for form in (MOMENT, DAY, *WRITTEN_DAYS):
        text = form.sub(_spaces, text)
    return text


def in_record(node: Any, leave_out: frozenset[str] = frozenset(), field: str = "") -> Iterator[Moment]:
    """The times of a JSON record: its texts', and numbers that are epoch seconds or milliseconds. Times of points are the points' alone."""
    if isinstance(node, dict):
        for key, item in node.items():
            if key not in leave_out:
                yield from in_record(item, leave_out, str(key))
    elif isinstance(node, list | tuple):
        for item in node if not is_point(node) else ():
            yield from in_record(item, leave_out, field)
    elif isinstance(node, str):
        whole = field if len(node) < LONGEST else ""  # a time within a text is not what the text's field names
        yield from (m._replace(field=whole) for m in in_text(node))
    elif isinstance(node, int | float) and not isinstance(node, bool):
        seconds = (node * scale for low, high, scale in EPOCHS if low <= node < high)
        yield from (of(datetime.fromtimestamp(at, UTC))._replace(field=field) for at in seconds)


def is_point(node: Any) -> bool:
    """`[time, value]`, as series hold them."""
    return (
        isinstance(node, list | tuple)
        and len(node) == 2
        and isinstance(node[0], str)
        and (node[1] is None or (isinstance(node[1], int | float) and not isinstance(node[1], bool)))
        and MOMENT.match(node[0]) is not None
    )


def points(node: Any) -> Iterator[tuple[Moment, float]]:
    """All points of a record."""
    if is_point(node):
        if node[1] is not None:
            yield from ((m, node[1]) for m in in_text(node[0]))
    elif isinstance(node, dict | list | tuple):
        for item in node.values() if isinstance(node, dict) else node:
            yield from points(item)


def of(moment: datetime) -> Moment:
    """A known time as a record's."""
    at = moment.astimezone(UTC)
    return Moment(at.isoformat(), f"{at:%Y-%m-%d}", (at.hour, at.minute), at.second)


def same(said: Moment, found: Moment) -> bool:
    """Days agree where both have one, clocks to the minute, seconds where the claim shows them."""
    if said.clock is None:
        return found.day is not None and _same_day(said.day, found.day)
    if said.second is not None and said.second != (found.second or 0):
        return False
    met = ((a, b) for a in ((said.day, said.clock), *said.readings) for b in ((found.day, found.clock), *found.readings))
    return any(_same_day(day, its_day) and clock == its_clock for (day, clock), (its_day, its_clock) in met)


def _same_day(day: str | None, other: str | None) -> bool:
    return not day or not other or other.endswith(day) or (other.startswith("-") and day.endswith(other))


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _moment(found: re.Match[str]) -> Moment:
    hour, minute = _hour(int(found["hour"]), found), int(found["minute"])
    second = int(found["second"]) if found["second"] else None
    date = _date(found)
    zone, end = (None, found.start("zone")) if _is_range(found, date) else (found["zone"], found.end())
    ahead = None if zone else zones.BEFORE.search(found.string, max(0, found.start() - 24), found.start())
    shared = None if zone or ahead else SHARED.match(found.string, end)
    named = zone or (ahead and ahead["zone"]) or (shared and _own(shared["zone"]))
    local = datetime(*(date or (2000, 1, 2)), hour, minute, second or 0, tzinfo=UTC)
    first, *others = ((_day(at) if date else None, (at.hour, at.minute)) for at in _in_utc(local, named))
    start = ahead.start() if ahead else found.start()
    return Moment(found.string[found.start() : end].strip(), *first, second, (start, end), readings=tuple(others))


def _own(zone: str | None) -> str | None:
    """A zone that is told by name or by an offset; "-10:00" behind a clock may be the end of a range."""
    return None if zone and zone.startswith("-") else zone


def _in_utc(local: datetime, zone: str | None) -> Iterator[datetime]:
    for offset in zones.offsets(zone):
        try:
            yield local - offset
        except OverflowError:
            yield local


def _day(at: datetime) -> str:
    return f"{at.year:04}-{at.month:02}-{at.day:02}"


def _is_range(found: re.Match[str], date: tuple[int, int, int] | None) -> bool:
    """ "09:40-10:00" are two clocks, not one with an offset."""
    return date is None and not found["second"] and (found["zone"] or "").startswith("-")


def _hour(hour: int, found: re.Match[str]) -> int:
    """12 p.m. is noon, 12 a.m. midnight."""
    late = found["late"] or (found["half"] or "") in ("p", "P")
    if hour > 12 or not (late or found["early"] or found["half"]):
        return hour
    return hour % 12 + (12 if late else 0)


def _date(found: re.Match[str]) -> tuple[int, int, int] | None:
    year, month, day = (found[name] or found[f"{name}2"] or found[f"{name}3"] for name in ("year", "month", "day"))
    if not year:
        return None
    full = int(year) if len(year) > 2 else 2000 + int(year)
    try:
        datetime(full, _month(month), int(day), tzinfo=UTC)
    except ValueError:
        return None
    return (full, _month(month), int(day))


def _month(written: str) -> int:
    return int(written) if written.isdigit() else _MONTHS.get(written[:3], 0)
