"""Times as instants, so that they can be put in order. A record's time without a zone is in UTC; numbers may be epoch seconds or ms."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from superbiz.domain.reading import times

HEAD = 60  # characters in which the time of a line is looked for
_ISO = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?P<second>:\d{2})?(?P<part>\.\d{3}(?:\d{3})?)?(?:Z|[+-]\d{2}:\d{2})?(?![\d:.,]|\s?[AaPp]\.?[Mm]\b)"
)
_NUMBER = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,3})?")


class Instant(NamedTuple):
    """`shown` is how much of time the spelling leaves open: a minute, a second, or less."""

    at: datetime
    shown: timedelta

    def covers(self, other: "Instant") -> bool:
        """Whether the other lies in the span that this spelling shows."""
        return self.at - self.shown < other.at < self.at + self.shown or self.at == other.at


def instant(node: Any) -> Instant | None:
    """None for what is no single time. A day or a clock alone is none: it can not be put in order."""
    if isinstance(node, str):
        return _of_text(node.strip())
    if isinstance(node, bool) or not isinstance(node, int | float):
        return None
    for low, high, scale in times.EPOCHS:
        if low <= node < high:
            return Instant(
                datetime.fromtimestamp(node * scale, UTC), timedelta(seconds=1 if isinstance(node, int) and scale == 1 else 0.001)
            )
    return None


def is_point(node: Any) -> bool:
    """`[time, value]`, as series hold them; the common spelling is read without much ado, since there may be many.

    A time may be an epoch, and the value beside it a number in quotes, as Prometheus writes both.
    """
    if not isinstance(node, list | tuple) or len(node) != 2:
        return False
    if isinstance(node[0], str):
        return times.is_point(node) if _ISO.fullmatch(node[0]) is None else _is_value(node[1])
    return instant(node[0]) is not None and (_is_value(node[1]) or (isinstance(node[1], str) and _NUMBER.fullmatch(node[1]) is not None))


def heading(line: str) -> Instant | None:
    """The time with which a line of a log begins."""
    found = _ISO.match(line)
    if found:
        return _of_iso(found)
    other = next(times.in_text(line[:HEAD]), None)
    return instant(other.text) if other and other.span[0] == 0 else None


def _is_value(node: Any) -> bool:
    return node is None or (isinstance(node, int | float) and not isinstance(node, bool))


def _of_iso(found: re.Match[str]) -> Instant | None:
    try:
        at = datetime.fromisoformat(found[0])
    except ValueError:
        return None
    shown = timedelta(milliseconds=1) if found["part"] else timedelta(seconds=1) if found["second"] else timedelta(minutes=1)
    return Instant(at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC), shown)


def _of_text(text: str) -> Instant | None:
    if (iso := _ISO.fullmatch(text)) and (read := _of_iso(iso)):
        return read
    found = next(times.in_text(text), None) if 10 <= len(text) <= 60 else None
    if found is None or found.day is None or found.clock is None or found.text != text or len(found.day) != len("2026-01-01"):
        return None
    hour, minute = found.clock
    return Instant(_exactly(text, f"{found.day}T{hour:02}:{minute:02}:{found.second or 0:02}+00:00"), _shown(text, found))


def _exactly(text: str, rounded: str) -> datetime:
    """With the parts of a second, where the spelling is ISO's."""
    try:
        at = datetime.fromisoformat(text.replace(",", "."))
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.fromisoformat(rounded)


def _shown(text: str, found: times.Moment) -> timedelta:
    if found.second is None:
        return timedelta(minutes=1)
    return timedelta(milliseconds=1) if "." in text or "," in text else timedelta(seconds=1)
