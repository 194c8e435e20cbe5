"""The CONTROL item in memory."""

from datetime import date, datetime

from superbiz.adapters.memory.store import Group, locked
from superbiz.domain import records
from superbiz.domain.control import Control


class MemoryControl(Group):
    """`ports.ControlLedger`."""

    @locked
    def control(self) -> Control:
        """As it is now."""
        return self._store.control

    @locked
    def switch(self, *, intake_paused: bool | None = None, model_paused: bool | None = None) -> Control:
        """None leaves a switch alone."""
        given = {"intake_paused": intake_paused, "model_paused": model_paused}
        return self._set(**{name: value for name, value in given.items() if value is not None})

    @locked
    def reserve_tokens(self, day: date, tokens: int, cap: int) -> bool:
        """A new day starts at 0; a call of the day before counts on the day that has begun."""
        stored = self._store.control
        fresh = stored.budget_day is None or stored.budget_day < day
        spent = (0 if fresh else stored.spent_tokens) + tokens
        if spent > cap:
            return False
        self._set(budget_day=day if fresh else stored.budget_day, spent_tokens=spent)
        return True

    @locked
    def settle_tokens(self, day: date, reserved: int, used: int) -> None:
        """Only on its own day, and never below 0."""
        if self._store.control.budget_day == day:
            self._set(spent_tokens=max(0, self._store.control.spent_tokens + used - reserved))

    @locked
    def model_failed(self, now: datetime, threshold: int, open_for_seconds: float) -> Control:
        """Opens at the threshold."""
        control = self._set(failures=self._store.control.failures + 1)
        opened = records.breaker_open(control, now, threshold, open_for_seconds)
        return control if opened is None else self._set(open_until=opened)

    @locked
    def model_worked(self) -> None:
        """Closes the breaker."""
        self._set(failures=0, open_until=None)

    def _set(self, **changes: object) -> Control:
        self._store.control = self._store.control.model_copy(update=changes)
        return self._store.control
