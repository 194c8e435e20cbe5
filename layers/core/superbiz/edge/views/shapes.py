"""What views share."""

from datetime import datetime
from typing import Any

from superbiz.domain.values import JsonObject, iso


def time_of(moment: datetime | None) -> str | None:
    """ISO-8601 in UTC, or null."""
    return iso(moment) if moment else None


def camel(snake: str) -> str:
    """`evidence_score` as `evidenceScore`."""
    first, *rest = snake.split("_")
    return first + "".join(word.capitalize() for word in rest)


def camel_keys(document: JsonObject) -> dict[str, Any]:
    """The outermost keys in camelCase; what is inside stays."""
    return {camel(key): value for key, value in document.items()}
