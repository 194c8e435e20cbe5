"""A clock that moves only when it is told to, or when somebody sleeps."""

from datetime import datetime, timedelta

from support.builders import NOW


class TestClock:
    __test__ = False

    def __init__(self, at: datetime = NOW) -> None:
        self._at = at
        self.slept = 0.0

    def now(self) -> datetime:
        return self._at

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        self._at += timedelta(seconds=seconds)
