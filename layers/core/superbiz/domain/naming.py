"""Whether a text names a resource: as a whole name, never as a part of a longer one."""

import re
from functools import lru_cache

_ARN_PART = re.compile(r"[/:]")
_MIN_PART = 3


@lru_cache(maxsize=4_096)
def _pattern(resource: str) -> re.Pattern[str]:
    part = (_ARN_PART.split(resource) if resource.startswith("arn:") else resource.split("/"))[-1]
    forms = {resource, part} if _telling(part) else {resource}
    longest_first = sorted(forms, key=len, reverse=True)
    return re.compile(
        r"(?<![A-Za-z0-9_.-])(?<!::)(?:" + "|".join(map(re.escape, longest_first)) + r")(?![A-Za-z0-9_-]|::|\.[A-Za-z0-9])", re.IGNORECASE
    )


def _telling(part: str) -> bool:
    """A version number or a single letter names nothing."""
    return len(part) >= _MIN_PART and not part.isdigit()


def names(text: str, resource: str) -> bool:
    """By the full name or the last part of its path or ARN, case aside."""
    name = resource.strip()
    return bool(name) and _pattern(name).search(text) is not None
