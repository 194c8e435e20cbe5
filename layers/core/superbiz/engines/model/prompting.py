"""Prompts are files, one a version: `executor.v1.md`. A new wording is a new file and a new row here, so that a stored reply says
which prompt it answered."""

import re
from functools import cache
from importlib.resources import files

from superbiz.errors import Broken

CURRENT = {"executor": 1, "verifier": 1, "composer": 1, "repair": 2, "correct": 1}
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def name_of(prompt: str) -> str:
    """`executor.v1`."""
    return f"{prompt}.v{CURRENT[prompt]}"


def render(prompt: str, **values: str) -> str:
    """The current version with its places filled. A place without a value, or a value without a place, is our mistake."""
    text = _text(name_of(prompt))
    places = set(_PLACE.findall(text))
    if places != values.keys():
        raise Broken(f"prompt {name_of(prompt)} wants {sorted(places)}, was given {sorted(values)}", code="BAD_PROMPT")
    return _PLACE.sub(lambda found: values[found[1]], text)


@cache
def _text(name: str) -> str:
    return (files("superbiz.engines.model") / "prompts" / f"{name}.md").read_text(encoding="utf-8").strip()
