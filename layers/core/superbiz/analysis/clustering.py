"""Templates of skeletons: which words differ by chance of the moment, and which make another statement.

Skeletons that are alike but for some positions are gathered, and each such position is judged by how many values it takes *in effect*
(the exponential of their entropy, so that a rare exception beside one common value hardly counts). How many make it variable depends
on what the values look like. Counts are of lines, so a log repeated twice gives the same templates.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from superbiz.analysis.shapes import VALUE, Shape, joined, shape_of

Skeleton = tuple[str, ...]
ROUNDS = 3
RARE = 0.25  # of the most frequent word of a line: what a word's frequency is, at its position, where it may change with others
LONGEST = 120  # tokens of which one may differ


class Limits(NamedTuple):
    """How many values in effect make a position variable: by their shapes, after a word that announces a name, where several words
    change together, and at the beginning, where a word says who speaks or what is done. So `many` different names or words make it
    variable even where one of them is in nearly all lines.
    """

    name: float = 2.5
    word: float = 4.5
    upper: float = 5.0
    together: float = 9.0
    announced: float = 2.5
    first: float = 12.0
    many: float = 10.0


LIMITS = Limits()
ANNOUNCING = frozenset(
    {
        "user",
        "username",
        "login",
        "account",
        "host",
        "hostname",
        "node",
        "device",
        "file",
        "class",
        "package",
        "server",
        "client",
        "address",
        "interface",
    }
)
_WORDS = (Shape.WORD, Shape.NAME)
_BETWEEN = frozenset("=:\"'([<")
_SALT = [random.Random(n).getrandbits(61) | 1 for n in range(LONGEST)]
_MASK = (1 << 61) - 1


class _Place(NamedTuple):
    """Skeletons that differ at one position only."""

    position: int
    members: list[Skeleton]


def templates(counts: Mapping[Skeleton, int], limits: Limits = LIMITS) -> dict[Skeleton, Skeleton]:
    """The template of each skeleton. `counts`: how many lines have it."""
    found = _Found(counts)
    found.apply(_names(found.counts, limits))
    found.apply(_rare_words(found.counts, limits))
    lengths = {len(s) for s in found.counts}
    for _ in range(ROUNDS):
        lengths = found.apply(_one_by_one([s for s in found.counts if len(s) in lengths], found.counts, limits))
    return found.templates


class _Found:
    """Templates so far, and the lines of each."""

    def __init__(self, counts: Mapping[Skeleton, int]) -> None:
        self.templates = {s: s for s in counts}
        self.counts = Counter(counts)

    def apply(self, changed: Mapping[Skeleton, Skeleton]) -> set[int]:
        """Put templates in the place of others; the lengths at which there are new ones."""
        final = {old: joined(new) for old, new in changed.items()}
        counts: Counter[Skeleton] = Counter()
        for template, count in self.counts.items():
            counts[final.get(template, template)] += count
        self.counts = counts
        self.templates = {s: final.get(t, t) for s, t in self.templates.items()}
        return {len(t) for t in final.values()}


def _names(counts: Mapping[Skeleton, int], limits: Limits) -> dict[Skeleton, Skeleton]:
    """All names of a line at once, since they often change together."""
    alike: dict[Skeleton, list[Skeleton]] = defaultdict(list)
    for skeleton in counts:
        alike[tuple("" if shape_of(t) is Shape.NAME else t for t in skeleton)].append(skeleton)
    return _together(counts, alike, limits.name)


def _rare_words(counts: Mapping[Skeleton, int], limits: Limits) -> dict[Skeleton, Skeleton]:
    """Words that are rare at their position beside the others of their line, where at least half of its words are not."""
    frequency = Counter((len(s), n, t) for s in counts for n, t in enumerate(s) if shape_of(t) in _WORDS)
    alike: dict[Skeleton, list[Skeleton]] = defaultdict(list)
    for skeleton in counts:
        of = {n: frequency[len(skeleton), n, t] for n, t in enumerate(skeleton) if shape_of(t) in _WORDS}
        rare = {n for n, times in of.items() if n and times <= RARE * max(of.values())}
        if len(rare) > 1 and 2 * len(rare) <= len(of):
            alike[tuple("" if n in rare else t for n, t in enumerate(skeleton))].append(skeleton)
    return _together(counts, alike, limits.together)


def _together(counts: Mapping[Skeleton, int], alike: Mapping[Skeleton, list[Skeleton]], limit: float) -> dict[Skeleton, Skeleton]:
    """`alike`: by what they have in common (empty where they differ), skeletons; positions with enough values in effect are variable."""
    out: dict[Skeleton, Skeleton] = {}
    for key, members in alike.items():
        variable = {n for n, t in enumerate(key) if not t and _effective(counts, members, n) >= limit}
        if variable:
            out |= {s: tuple(VALUE if n in variable else t for n, t in enumerate(s)) for s in members}
    return out


def _one_by_one(skeletons: Sequence[Skeleton], counts: Mapping[Skeleton, int], limits: Limits) -> dict[Skeleton, Skeleton]:
    """Positions at which otherwise equal skeletons differ, those with most skeletons first; a skeleton changes once a round."""
    out: dict[Skeleton, Skeleton] = {}
    for position, members in sorted(_places(skeletons), key=lambda place: -len(place.members)):
        left = [s for s in members if s not in out]
        if len(left) > 1 and _is_variable(counts, left, position, limits):
            out |= {s: (*s[:position], VALUE, *s[position + 1 :]) for s in left}
    return out


def _places(skeletons: Sequence[Skeleton]) -> list[_Place]:
    """A skeleton less one token has a sum of its own, taken from the whole one's: long lines stay cheap."""
    alike: dict[tuple[int, int, int], list[Skeleton]] = defaultdict(list)
    of_length = Counter(map(len, skeletons))
    for skeleton in skeletons:
        if len(skeleton) > LONGEST or of_length[len(skeleton)] < 2:
            continue
        parts = [hash(t) * salt & _MASK for t, salt in zip(skeleton, _SALT, strict=False)]
        total = sum(parts)
        for n, token in enumerate(skeleton):
            if shape_of(token) is not Shape.SIGN:
                alike[len(skeleton), n, total - parts[n]].append(skeleton)
    return [_Place(n, members) for (_, n, _), members in alike.items() if len(members) > 1]


def _is_variable(counts: Mapping[Skeleton, int], members: Sequence[Skeleton], position: int, limits: Limits) -> bool:
    values = {s[position] for s in members}
    shapes = {shape_of(v) for v in values}
    named = position > 0 or shapes <= {Shape.NAME, Shape.VALUE}
    return (
        (VALUE in values and named)
        or (named and Shape.UPPER not in shapes and len(values) >= limits.many)
        or _effective(counts, members, position) >= _limit(members[0], position, shapes, limits)
    )


def _limit(like: Skeleton, position: int, shapes: Collection[Shape], limits: Limits) -> float:
    if position == 0 and (Shape.WORD in shapes or Shape.UPPER in shapes):
        return limits.first
    before = _announcer(like, position)
    if before in ANNOUNCING:
        return limits.announced
    return limits.upper if Shape.UPPER in shapes else limits.word if Shape.WORD in shapes else limits.name


def _announcer(skeleton: Skeleton, position: int) -> str:
    """The word before a position, quotes and the like apart."""
    while position and skeleton[position - 1] in _BETWEEN:
        position -= 1
    return skeleton[position - 1].lower() if position else ""


def _effective(counts: Mapping[Skeleton, int], members: Sequence[Skeleton], position: int) -> float:
    """How many values a position takes in effect."""
    lines: Counter[str] = Counter()
    for skeleton in members:
        lines[skeleton[position]] += counts[skeleton]
    total = lines.total()
    return math.exp(-sum(n / total * math.log(n / total) for n in lines.values())) if total else 0.0
