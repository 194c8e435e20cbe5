"""Keys and templates of all kinds of lines that were met, once it can be said which of their words are variable."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from superbiz.analysis import clustering
from superbiz.analysis.clustering import LIMITS, Limits, Skeleton
from superbiz.analysis.shapes import VALUE, rendered

SCANNED = 200  # templates of equal length that a late skeleton is held against


class Statement(NamedTuple):
    """`number` is the miner's own. `level` is in capitals, empty where the line names none.

    `bad` statements say of themselves that something went wrong.
    """

    number: int
    level: str
    location: str | None
    exception: str | None
    bad: bool


class Kind(NamedTuple):
    """What lines of one number have in common, and the masked text of the first. A place in the code has no skeleton. `like` is the
    number whose key they share."""

    statement: Statement
    skeleton: Skeleton
    text: str
    like: int | None = None

    @property
    def part(self) -> tuple[str, str | None]:
        """Lines of different levels or exceptions are never one statement."""
        return self.statement.level, self.statement.exception


class Settled:
    """Every number's key, and every key's template."""

    def __init__(self, kinds: Sequence[Kind], lines: Counter[int], limits: Limits = LIMITS) -> None:
        found = _templates(kinds, lines, limits)
        ids: dict[tuple[str, str | None, Skeleton], str] = {}
        self.keys: list[str] = []
        self.templates: dict[str, Skeleton] = {}
        self.first: dict[str, Kind] = {}
        for number, kind in enumerate(kinds):
            key = (
                self.keys[kind.like] if kind.like is not None else _key(kind, ids.setdefault((*kind.part, found[number]), f"t{number + 1}"))
            )
            self.keys.append(key)
            self.first.setdefault(key, kind)
            self.templates.setdefault(key, found[number])

    def shown(self, key: str) -> str:
        """For people; empty for what is no key."""
        kind = self.first.get(key)
        return rendered(kind.text, self.templates[key]) if kind else ""


class Matcher:
    """Templates as they stood when skeletons grew too many, for those that come later."""

    def __init__(self, settled: Settled) -> None:
        self._by: dict[tuple[str, str | None, int], list[tuple[Skeleton, Skeleton]]] = defaultdict(list)
        for key, template in settled.templates.items():
            first = settled.first[key]
            at = (*first.part, len(template))
            if VALUE in template and len(self._by[at]) < SCANNED:
                self._by[at].append((template, first.skeleton))

    def fitting(self, level: str, exception: str | None, skeleton: Skeleton) -> Skeleton | None:
        """The first skeleton of a template that this one is a case of."""
        for template, first in self._by.get((level, exception, len(skeleton)), ()):
            if all(a in (VALUE, b) for a, b in zip(template, skeleton, strict=True)):
                return first
        return None


def _key(kind: Kind, template_id: str) -> str:
    where = kind.statement.location
    return template_id if where is None else f"{where}|{kind.statement.level}"


def _templates(kinds: Sequence[Kind], lines: Counter[int], limits: Limits) -> list[Skeleton]:
    """By number; a place in the code keeps the skeleton of its first line."""
    parts: dict[tuple[str, str | None], dict[Skeleton, int]] = defaultdict(dict)
    for number, kind in _own(kinds):
        parts[kind.part][kind.skeleton] = lines[number] or 1
    found = {part: clustering.templates(counts, limits) for part, counts in parts.items()}
    out = [kind.skeleton for kind in kinds]
    for number, kind in _own(kinds):
        out[number] = found[kind.part][kind.skeleton]
    return out


def _own(kinds: Iterable[Kind]) -> list[tuple[int, Kind]]:
    return [(n, k) for n, k in enumerate(kinds) if k.like is None and k.statement.location is None]
