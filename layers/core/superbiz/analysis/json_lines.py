"""JSON log lines as words: `key:value` for every field, those that tell the level or a status first."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from superbiz.analysis.shapes import KEPT

DEEPEST = 3  # objects within objects
_TELLING = re.compile(r"status|code|level|severity|errno", re.I)  # fields whose number says what happened


def as_words(line: str) -> str:
    """The line itself where it is no JSON object. Numbers of telling fields are kept from being variables."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(found, dict) or not found:
        return line
    words = sorted(_words(found, "", 0), key=lambda word: not word[0])
    return " ".join(text for _, text in words)


def _words(fields: dict[str, Any], above: str, depth: int) -> Iterator[tuple[bool, str]]:
    """(whether it tells, `key:value`)"""
    for key, value in fields.items():
        name, telling = f"{above}{key}", _is_telling(key)
        if isinstance(value, dict) and value and depth < DEEPEST:
            yield from _words(value, f"{name}.", depth + 1)
        else:
            yield telling, f"{name}:{_text(value, telling)}"


def _text(value: Any, telling: bool) -> str:
    if isinstance(value, str):
        return " ".join(value.split("\n"))
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value).translate(KEPT) if number and telling else json.dumps(value)


@lru_cache(maxsize=4_096)
def _is_telling(key: str) -> bool:
    return _TELLING.search(key) is not None
