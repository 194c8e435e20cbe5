"""Times of claims and records. A claim's time is met by a record's at the precision that the claim shows, both in UTC."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

_DATE = r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})|(?P<day2>\d{2})/(?P<month2>\d{2}|[A-Z][a-z]{2})/(?P<year2>\d{4}|\d{2})"
_CLOCK = r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,](?P<part>\d{1,9}))?)?"
_HALF = r"(?:\s?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
_ZONE = r"\s?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
MOMENT = re.compile(rf"(?<![\d:.])(?:(?:{_DATE})(?:[T :]|,\s)\s?)?{_CLOCK}{_HALF}{_ZONE}(?!\d|:\d)")
DAY = re.compile(r"(?<![\d/-])(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?![\dT/-])")
_MONTH = (
    "(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?"
    "|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
WRITTEN_DAYS = (
    re.compile(rf"(?<![\w-]){_NTH}\s(?:of\s)?{_MONTH}\b\.?(?:,?\s(?P<year>\d{{4}}))?(?![\w-])"),
    re.compile(rf"(?<![\w-]){_MONTH}\.?\s{_NTH}(?:,?\s(?P<year>\d{{4}}))?(?![\w:-])"),
)
_MONTHS = {"JanFebMarAprMayJunJulAugSepOctNovDec"[3 * n : 3 * n + 3]: n + 1 for n in range(12)}
EPOCHS = ((1e9, 4e9, 1.0), (1e12, 4e12, 1e-3))


class Moment(NamedTuple):
    """`day` is None where only a clock is given, without a year where none is written;
    `second` is None where it shows minutes alone, `clock` None where it is a day."""

    text: str
    day: str | None
    clock: tuple[int, int] | None
    second: int | None
    span: tuple[int, int] = (0, 0)

    @property
    def order(self) -> tuple[str, int, int, int]:
        return (self.day or "", *(self.clock or (0, 0)), self.second or 0)


def in_text(text: str) -> Iterator[Moment]:
    """The times of a text; days that stand alone come after them."""
    for found in MOMENT.finditer(text):
        moment = _moment(found)
        if moment:
            yield moment
    for found in DAY.finditer(text):
        if not MOMENT.match(text, found.start()):
            yield Moment(found[0], found[0], None, None, found.span())
    for found in (f for form in WRITTEN_DAYS for f in form.finditer(text)):
        month, day = _MONTHS[found["month"][:3]], int(found["day"])
        yield Moment(found[0], f"{found['year'] or ''}-{month:02}-{day:02}", None, None, found.span())


def blanked(text: str) -> str:
    """The text with spaces for its times, whose digits are no numbers."""
    for form in (MOMENT, DAY, *WRITTEN_DAYS):
        text = form.sub(_spaces, text)
    return text


def in_record(node: Any, leave_out: frozenset[str] = frozenset()) -> Iterator[Moment]:
    """The times of a JSON record: its texts', and numbers that are epoch seconds or milliseconds. Times of points are the points' alone."""
    if isinstance(node, dict):
        for key, item in node.items():
            if key not in leave_out:
                yield from in_record(item, leave_out)
    elif isinstance(node, list | tuple):
        for item in node if not is_point(node) else ():
            yield from in_record(item, leave_out)
    elif isinstance(node, str):
        yield from in_text(node)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield from (of(datetime.fromtimestamp(node * scale, UTC)) for low, high, scale in EPOCHS if low <= node < high)


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
    if said.day and found.day and not found.day.endswith(said.day):
        return False
    if said.clock is None:
        return found.day is not None
    if said.clock != found.clock:
        return False
    return said.second is None or said.second == (found.second or 0)


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _moment(found: re.Match[str]) -> Moment | None:
    hour, minute = _hour(int(found["hour"]), found["half"]), int(found["minute"])
    second = int(found["second"]) if found["second"] else None
    date = _date(found)
    offset = _offset(found["zone"])
    if offset:
        shifted = datetime(*(date or (2000, 1, 2)), hour, minute, second or 0, tzinfo=UTC) - offset
        date = (shifted.year, shifted.month, shifted.day) if date else None
        hour, minute = shifted.hour, shifted.minute
    day = "-".join((f"{date[0]:04}", f"{date[1]:02}", f"{date[2]:02}")) if date else None
    return Moment(found[0].strip(), day, (hour, minute), second, found.span())


def _hour(hour: int, half: str | None) -> int:
    """12 p.m. is noon, 12 a.m. midnight."""
    if half is None or hour > 12:
        return hour
    return hour % 12 + (12 if half in "pP" else 0)


def _date(found: re.Match[str]) -> tuple[int, int, int] | None:
    if not (found["year"] or found["year2"]):
        return None
    named = found["month"] or found["month2"]
    month = _MONTHS.get(named) if named.isalpha() else int(named)
    year, day = int(found["year"] or found["year2"]), int(found["day"] or found["day2"])
    try:
        datetime(year if year > 99 else 2000 + year, month or 0, day, tzinfo=UTC)
    except ValueError:
        return None
    return (year if year > 99 else 2000 + year, month or 0, day)


def _offset(zone: str | None) -> timedelta | None:
    if not zone or zone[0] not in "+-":
        return None
    size = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return size if zone[0] == "+" else -size
