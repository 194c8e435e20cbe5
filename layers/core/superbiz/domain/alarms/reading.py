"""Reading what may be anything: each function answers with a sound value or with nothing, and never raises."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from superbiz.domain.values import JsonObject

ID_CHARS = 200
NAME_CHARS = 255
TEXT_CHARS = 2_000
ITEMS = 50
_SURROGATES = re.compile("[\ud800-\udfff]")
_ARN = re.compile(r"arn:(aws[a-z-]*):cloudwatch:([a-z]{2}[a-z0-9-]{1,40}):([0-9]{12}):alarm:(.+)\Z", re.DOTALL)
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]{1,2}\Z")


def at(value: Any, *path: str) -> Any:
    """The node at a path of keys, or None."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def mapping(value: Any, *path: str) -> JsonObject:
    node = at(value, *path)
    return dict(node) if isinstance(node, Mapping) else {}


def items(value: Any, *path: str) -> Sequence[Any]:
    """The first fifty elements of a list; CloudWatch sends no more, and nobody reads more."""
    node = at(value, *path)
    return node[:ITEMS] if isinstance(node, list) else ()


def text(value: Any, *path: str, limit: int = TEXT_CHARS) -> str:
    """A text, cut to its limit, without lone surrogates (which no store takes); empty where there is none."""
    node = at(value, *path)
    return _SURROGATES.sub("\ufffd", node[:limit]) if isinstance(node, str) else ""


def number(value: Any) -> float | None:
    """A finite number. Booleans are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def whole(value: Any) -> int | None:
    found = number(value)
    return int(found) if found is not None and found.is_integer() and 0 < found < 1e9 else None


def moment(value: Any) -> datetime | None:
    """ISO-8601 with `Z` or any offset spelling (`+0000`). CloudWatch speaks UTC, so a time without a zone is UTC."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        found = datetime.fromisoformat(value)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def inner_json(value: Any) -> JsonObject:
    """An object that travels as a JSON string (`Message`, `reasonData`, an SQS body) or as itself; empty where it is neither."""
    if isinstance(value, Mapping):
        return dict(value)
    if not isinstance(value, str):
        return {}
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def arn_parts(arn: str) -> tuple[str, str, str] | None:
    """(region, account, alarm name) of a sound alarm ARN."""
    found = _ARN.match(arn)
    return (found[2], found[3], found[4]) if found else None


def region(*candidates: str) -> str:
    """The first that is a region's code. SNS sends a display name ("US East (N. Virginia)"): kept only where there is nothing better."""
    given = [c for c in candidates if c]
    return next((c for c in given if _REGION.match(c)), given[0] if given else "")[:64]
