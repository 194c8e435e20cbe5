"""Times as instants, so that they can be put in order. A record's time without a zone is in UTC; numbers may be epoch seconds or ms."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from superbiz.domain.reading import times


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


def _of_text(text: str) -> Instant | None:
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
