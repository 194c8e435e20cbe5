"""Log templates: one generic configuration for every kind of log, mined from skeletons of lines and settled when all are read.

A line that names its place in the code (`OrderService#41`, `order.py:41`) is one statement whatever its text; other lines are told
apart by template.
"""

import re
from collections import Counter
from collections.abc import Sequence

from superbiz.analysis import json_lines
from superbiz.analysis.clustering import LIMITS, Limits, Skeleton
from superbiz.analysis.collapsing import collapsed
from superbiz.analysis.settling import Kind, Matcher, Settled, Statement
from superbiz.analysis.shapes import KEPT, PARAMETER, SHOWN, VALUE, Shape, masked, rendered, shape_of, tokens
from superbiz.analysis.stacktraces import exception_of, keep_places, location_of
from superbiz.analysis.vocabulary import Vocabulary

__all__ = ["PARAMETER", "Miner", "Statement", "is_worse", "level_of", "template_of"]

LONGEST = 2_000  # characters of a line that are looked at
LONGEST_JSON = 64_000  # of one that is parsed
DISPLAYED = 500  # characters of a template
MOST_SKELETONS = 20_000
MOST_TOKENS = 600_000  # of all skeletons together
MOST_COARSE = 1_000  # skeletons of a line's first word only, once there are too many others
REMEMBERED = 16 << 20  # bytes of collapsed lines whose numbers are remembered

_LEVEL = re.compile(
    r"\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|PANIC)\b"
    r"|(?i:level|severity|lvl)[\"']?\s*[:=]\s*[\"']?(?i:(trace|debug|info|notice|warn|warning|error|severe|critical|fatal|panic|[1-6]0))\b"
)
_NUMBERED = {"10": "TRACE", "20": "DEBUG", "30": "INFO", "40": "WARN", "50": "ERROR", "60": "FATAL"}
_WORSE = frozenset({"ERROR", "SEVERE", "CRITICAL", "FATAL", "PANIC"})


class Miner:
    """Finds the statement behind a line. One miner for both periods that are compared, so that their keys agree.

    Numbers are given while lines are read, keys when all are: only then is it known which words of a line are variable.
    `placed`: a line's place in the code is its statement. Memory is bounded: beyond so many skeletons, those that fit no template are
    told apart by their first word only.
    """

    def __init__(self, *, placed: bool = True) -> None:
        self._placed = placed
        self._known: dict[bytes, int] = {}
        self._known_bytes = 0
        self._vocabulary = Vocabulary()
        self._numbers: dict[tuple[str, str | None, Skeleton | str], int] = {}
        self._kinds: list[Kind] = []
        self._tokens = 0
        self._lines: Counter[int] = Counter()
        self._settled: Settled | None = None
        self._matcher: Matcher | None = None

    def read(self, messages: Sequence[str]) -> list[Statement]:
        """The statements of raw lines, of which at most 2,000 characters count."""
        if not messages:
            return []
        block = "\n".join(map(_one_line, messages)).encode("utf-8", "replace")
        return [self._kinds[n].statement for n in self._read(block)]

    def numbers(self, block: bytes) -> list[int]:
        """The statements' numbers for a block of lines: one for each line break, and one for what follows the last."""
        if block.startswith(b"{") or b"\n{" in block:
            block = b"\n".join([_words(line) if line.startswith(b"{") else line for line in block.split(b"\n")])
        return self._read(block)

    def key(self, number: int) -> str:
        """The key of a statement: the same for all lines of one template, or of one place and level."""
        return self._now().keys[number]

    def template(self, key: str) -> str:
        """The template of a key, for people; empty for what is no key."""
        return self._now().shown(key)

    def settled(self, limits: Limits) -> Settled:
        """Keys and templates of all that was read, under other limits."""
        return Settled(self._kinds, self._lines, limits)

    def _now(self) -> Settled:
        if self._settled is None:
            self._settled = self.settled(LIMITS)
        return self._settled

    def _read(self, block: bytes) -> list[int]:
        skeletons = collapsed(block, placed=self._placed).split(b"\n")
        for skeleton in dict.fromkeys(skeletons):
            if skeleton not in self._known:
                self._known[skeleton] = self._number(skeleton[:LONGEST])
                self._known_bytes += len(skeleton) + 100
        found = list(map(self._known.__getitem__, skeletons))
        self._lines.update(found)
        if self._known_bytes > REMEMBERED:
            self._known, self._known_bytes = {}, 0
        return found

    def _number(self, skeleton: bytes) -> int:
        pattern, number = self._vocabulary.meet(skeleton)
        if number is None:
            number = self._looked_at(skeleton.decode("utf-8", "replace"))
            if pattern is not None and self._vocabulary.is_open(pattern):
                self._vocabulary.open(pattern, self._another(number))
        return number

    def _looked_at(self, text: str) -> int:
        told = text.translate(SHOWN)
        level, exception = level_of(told), exception_of(told)
        location = location_of(told) if self._placed else None
        text = masked(keep_places(text, KEPT) if location else text)
        skeleton = tokens(text)
        if not location and self._is_full and (level, exception, skeleton) not in self._numbers:
            exception, skeleton = self._coarse(level, exception, skeleton)
        number = self._numbers.get((level, exception, location or skeleton))
        if number is None:
            statement = Statement(0, level, location, exception, is_worse(level) or exception is not None)
            number = self._numbers[level, exception, location or skeleton] = self._added(Kind(statement, skeleton, text[:DISPLAYED]))
            self._tokens += len(skeleton)
        return number

    def _added(self, kind: Kind) -> int:
        number = len(self._kinds)
        self._kinds.append(kind._replace(statement=kind.statement._replace(number=number)))
        self._settled = None
        return number

    def _another(self, number: int) -> int:
        """A number of its own for further lines like one: they are not counted as that one's."""
        kind = self._kinds[number]
        return self._added(kind._replace(like=number if kind.like is None else kind.like))

    @property
    def _is_full(self) -> bool:
        return len(self._kinds) >= MOST_SKELETONS or self._tokens >= MOST_TOKENS

    def _coarse(self, level: str, exception: str | None, skeleton: Skeleton) -> tuple[str | None, Skeleton]:
        """The skeleton of a template that fits; else the first word alone, and at last nothing at all."""
        if self._matcher is None:
            self._matcher = Matcher(self._now())
        fitting = self._matcher.fitting(level, exception, skeleton)
        if fitting is not None:
            return exception, fitting
        coarse = (skeleton[0] if skeleton and shape_of(skeleton[0]) in (Shape.WORD, Shape.UPPER) else VALUE, VALUE)
        if len(self._kinds) < MOST_SKELETONS + MOST_COARSE or (level, exception, coarse) in self._numbers:
            return exception, coarse
        return None, (VALUE,)


def template_of(line: str) -> str:
    """One raw line for people, with times, ids, addresses and numbers replaced; those that name a line of code stay."""
    skeleton = collapsed(_one_line(line).encode("utf-8", "replace"), placed=True).decode("utf-8", "replace")
    text = masked(keep_places(skeleton, KEPT))
    return rendered(text, tokens(text))


def level_of(line: str) -> str:
    """The severity that the line's first 200 characters name, or an empty text."""
    match = _LEVEL.search(line, 0, 200)
    level = (match[1] or match[2]).upper() if match else ""
    return _NUMBERED.get(level, "WARN" if level == "WARNING" else level)


def is_worse(level: str) -> bool:
    """Whether a level says that something went wrong."""
    return level in _WORSE


def _one_line(message: str) -> str:
    """What counts of a message: its fields where it is JSON, else its first line."""
    if message[:1] == "{" and len(message) <= LONGEST_JSON:
        message = json_lines.as_words(message)
    message = message[:LONGEST]
    return message.lstrip("\r\n").partition("\n")[0] if "\n" in message else message


def _words(line: bytes) -> bytes:
    return _one_line(line.decode("utf-8", "replace")).encode("utf-8", "replace")
