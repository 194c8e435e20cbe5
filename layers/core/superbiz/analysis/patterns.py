"""Patterns that are compiled when they are first searched for: tables of hundreds would cost every start of a process."""

import re
import sys
from functools import cached_property


class Pattern:
    """Any of the alternatives, as `re.Pattern.search` finds them."""

    def __init__(self, *alternatives: str, ignore_case: bool = True) -> None:
        self.source = "|".join(alternatives)
        self._flags = re.IGNORECASE if ignore_case else 0

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first place in the text, between start and end, where one of them stands."""
        return self._compiled.search(text, start, end)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.source, self._flags)
