"""What a run has read of an account, kept for its lifetime: rows, refusals, and what is to be told of both."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from superbiz.adapters.cloudwatch.session import Found
from superbiz.domain.evidence import ToolCategory
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable

T = TypeVar("T")


class _Read(NamedTuple):
    window: Window
    rows: Sequence[Any]


class Kept:
    """Nothing is asked twice. `notes` say what was not found, not asked or not usable; `partial` what was read but in part."""

    def __init__(self) -> None:
        self._known: dict[object, Any] = {}
        self._reads: dict[str, list[_Read]] = {}
        self._notes: dict[str, None] = {}
        self._partial: dict[ToolCategory, dict[str, None]] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes)

    def partial(self, category: ToolCategory) -> tuple[str, ...]:
        return tuple(self._partial.get(category, ()))

    def once(self, key: object, work: Callable[[], T]) -> T:
        """A refusal is kept too: asking again costs the same and answers the same."""
        if key not in self._known:
            try:
                self._known[key] = work()
            except SourceUnavailable as e:
                self._known[key] = e
        known: T | SourceUnavailable = self._known[key]
        if isinstance(known, SourceUnavailable):
            raise SourceUnavailable(known.what, known.why, known.code) from known
        return known

    def reading(self, kind: str, window: Window, read: Callable[[Window], Sequence[T]]) -> Sequence[T]:
        """What was read before, where it covers the window; it may hold more than the window."""
        reads = self._reads.setdefault(kind, [])
        for known in reads:
            if known.window.start <= window.start and window.end <= known.window.end:
                return known.rows
        rows = self.once((kind, window.start, window.end), lambda: read(window))
        reads.append(_Read(window, rows))
        return rows

    def else_nothing(self, what: str, work: Callable[[], T]) -> T | None:
        """None where a source refuses that can be done without, which is noted."""
        try:
            return work()
        except SourceUnavailable as e:
            self.note([f"{what}: not read ({e.why})"])
            return None

    def told(self, category: ToolCategory, found: Found[T]) -> Found[T]:
        """The same, with its sentences taken down."""
        self.say(category, found.partial)
        self.note(found.notes)
        return found

    def say(self, category: ToolCategory, sentences: Iterable[str]) -> None:
        self._partial.setdefault(category, {}).update(dict.fromkeys(sentences))

    def note(self, sentences: Iterable[str]) -> None:
        self._notes.update(dict.fromkeys(sentences))
