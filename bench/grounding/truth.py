"""A true claim with the records that it cites, as the makers of mutants read it, and the guards that keep a mutant false.

The readings here are plain and apart from the product's: numbers, times and words are found by patterns of their own.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from bench.grounding.scenes import Claim, Scene
from superbiz.domain import refs

NUMBER = re.compile(r"(?<![A-Za-z0-9_.:/#-])\d+(?:\.\d+)?(?![A-Za-z0-9_/:]|[.\-]\w)")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?|(?<![\d:.])\d\d:\d\d(?::\d\d)?(?![\d:])")
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」")
ANY_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
VAGUE = re.compile(r"about|around|roughly|nearly|almost|approximately|some |[<>~≈约近]|大约", re.IGNORECASE)
SCALES = (1.0, 60.0, 100.0, 1000.0, 1024.0, 3600.0, 1024.0**2, 1e6, 1024.0**3, 1e9)
VAGUE_SHARE = 0.3  # what a number has to be off by where the claim says "about"
NAME_FIELDS = ("service", "subject", "resource", "database", "name", "alarm", "callee")


class Truth:
    """One true claim in its scene."""

    def __init__(self, scene: Scene, claim: Claim) -> None:
        self.scene, self.claim = scene, claim

    @property
    def text(self) -> str:
        """The sentence."""
        return str(self.claim["claim_text"])

    @property
    def kind(self) -> str:
        """The claim's type."""
        return str(self.claim["claim_type"])

    @cached_property
    def nodes(self) -> tuple[Any, ...]:
        """The cited nodes."""
        return tuple(self.scene.node(e) for e in self.claim["evidence"])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The cited nodes' own texts."""
        return tuple(n if isinstance(n, str) else dumped(n) for n in self.nodes)

    @cached_property
    def record(self) -> str:
        """All that stands at the cited nodes, beside them in their objects, and in what the calls were asked."""
        parts = [*self.texts]
        for bound in self.claim["evidence"]:
            call = self.scene.call(bound["invocation_id"])
            parts += [dumped(refs.surroundings(call["output"], bound["raw_path"])), dumped(call["input_params"])]
        return "\n".join(parts)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """Every number of the record, times and ids taken apart too: what a mutant's number must not equal."""
        return tuple({abs(float(n)) for n in ANY_NUMBER.findall(self.record)})

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The plain fields of the first cited node."""
        first = self.nodes[0] if self.nodes else None
        return {k: v for k, v in first.items() if not isinstance(v, dict | list)} if isinstance(first, dict) else {}

    @cached_property
    def subject(self) -> str | None:
        """The thing that the claim is about: a name field of its first record that the sentence spells."""
        names = [self.fields.get(f) for f in NAME_FIELDS]
        return next((n for n in names if isinstance(n, str) and n and n in self.text), None)

    def saying(self, text: str, **changed: Any) -> Claim:
        """The claim with another sentence. Typed facts are the old sentence's and go."""
        return {**self.claim, "claim_text": text, "facts": [], **changed}

    def spoken(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Where a pattern stands in the sentence, quotations, times and names of things left out."""
        shut = [m.span() for m in QUOTED.finditer(self.text)]
        if pattern is not TIME:
            shut += [m.span() for m in TIME.finditer(self.text)]
        shut += [m.span() for name in self.names for m in re.finditer(re.escape(name), self.text)]
        return [m for m in pattern.finditer(self.text) if not any(a < m.end() and m.start() < b for a, b in shut)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of things in the sentence, as the record's name fields spell them."""
        return tuple({v for v in named(self.nodes) if v in self.text})

    def has_number(self, value: float, places: int) -> bool:
        """Whether the record has this number at the precision shown, in any of the usual units."""
        step = 0.5 * 10**-places
        near = (abs(n * s - value) <= step or abs(n / s - value) <= step for n in self.numbers for s in SCALES)
        return any(near)


Maker = Callable[[Truth, random.Random], Any]


def dumped(value: Any) -> str:
    """JSON as the recorder writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def named(document: Any) -> Iterator[str]:
    """Every value of a name field anywhere in a document."""
    if isinstance(document, Mapping):
        for key, value in document.items():
            if key in (*NAME_FIELDS, "metric", "operation", "actor", "callee_name") and isinstance(value, str) and len(value) > 2:
                yield value
            yield from named(value)
    elif isinstance(document, list | tuple):
        for value in document:
            yield from named(value)


def put(text: str, match: re.Match[str], new: str) -> str:
    """The text with something else in a match's place."""
    return text[: match.start()] + new + text[match.end() :]


def picked(chance: random.Random, among: Sequence[Any]) -> Any:
    """One of them; None of none."""
    return chance.choice(among) if among else None
