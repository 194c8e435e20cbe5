"""JSON log lines as words: `key:value` for every field, those that tell the level or a status first."""

import json
import re
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
    telling: list[str] = []
    others: list[str] = []
    _collect(found, "", 0, telling, others)
    return " ".join([*telling, *others])


def _collect(fields: dict[str, Any], above: str, depth: int, telling: list[str], others: list[str]) -> None:
    for key, value in fields.items():
        name = above + key
        if type(value) is dict and value and depth < DEEPEST:
            _collect(value, f"{name}.", depth + 1, telling, others)
        elif _is_telling(key):
            telling.append(f"{name}:{_kept(value)}")
        else:
            others.append(f"{name}:{_text(value)}")


def _kept(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value).translate(KEPT) if number else _text(value)


def _text(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return str(value).replace("\n", " ")
    return "0" if kind is int or kind is float else json.dumps(value)


@lru_cache(maxsize=4_096)
def _is_telling(key: str) -> bool:
    return _TELLING.search(key) is not None
