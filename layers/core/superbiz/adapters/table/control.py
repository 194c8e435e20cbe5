"""The CONTROL item in the table."""

from contextlib import suppress
from datetime import date, datetime

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from superbiz.adapters.table import keys
from superbiz.adapters.table.base import Group
from superbiz.adapters.table.gateway import Collision, ConditionFailed, attribute, removing, setting
from superbiz.adapters.table.mapping import Attribute
from superbiz.domain import records
from superbiz.domain.control import Control


class TableControl(Group):
    """`ports.ControlLedger`. Every change is one conditional update."""

    _seen: Control | None = None

    def control(self) -> Control:
        """As it is now."""
        self._seen = self._map.value(Control, self._table.get(keys.CONTROL) or {})
        return self._seen

    def switch(self, *, intake_paused: bool | None = None, model_paused: bool | None = None) -> Control:
        """None leaves a switch alone."""
        given = {"intake_paused": intake_paused, "model_paused": model_paused}
        changes = {name: self._map.scalar(value) for name, value in given.items() if value is not None}
        return self._change(*setting(changes)) if changes else self.control()

    def reserve_tokens(self, day: date, tokens: int, cap: int) -> bool:
        """A new day starts at 0; a call of the day before counts on the day that has begun."""
        return tokens <= cap and self._table.repeated(lambda: self._reserve(day, tokens, cap))

    def settle_tokens(self, day: date, reserved: int, used: int) -> None:
        """Only on its own day, and never below 0."""
        spent, back = attribute("spent_tokens"), reserved - used
        with suppress(ConditionFailed):
            self._change(spent.add(_number(-back)), condition=self._is_day(day) & (spent >= _number(back)))
            return
        with suppress(ConditionFailed):
            self._change(spent.set(_number(0)), condition=self._is_day(day) & (spent < _number(back)))

    def model_failed(self, now: datetime, threshold: int, open_for_seconds: float) -> Control:
        """Counted first, so that of many failures at once one opens the breaker."""
        control = self._change(attribute("failures").add(_number(1)))
        opened = records.breaker_open(control, now, threshold, open_for_seconds)
        return control if opened is None else self._change(*setting({"open_until": self._map.scalar(opened)}))

    def model_worked(self) -> None:
        """Closes the breaker. Costs nothing where this process knows that nothing has failed."""
        if self._seen is None or self._seen.failures or self._seen.open_until:
            self._change(attribute("failures").set(_number(0)), *removing("open_until"))

    def _reserve(self, day: date, tokens: int, cap: int) -> bool:
        today, spent, this_day = attribute("budget_day"), attribute("spent_tokens"), self._map.scalar(day)
        try:
            self._change(spent.add(_number(tokens)), condition=(today >= this_day) & (spent <= _number(cap - tokens)))
        except ConditionFailed:
            begun = self.control().budget_day
            return not (begun and begun >= day) and self._begin(day, tokens)
        return True

    def _begin(self, day: date, tokens: int) -> bool:
        """The day's first reservation. Where another was first, the caller tries again as one of many."""
        first = setting({"budget_day": self._map.scalar(day), "spent_tokens": _number(tokens)})
        today = attribute("budget_day")
        try:
            self._change(*first, condition=today.does_not_exist() | (today < self._map.scalar(day)))
        except ConditionFailed as e:
            raise Collision("the day's first reservation") from e
        return True

    def _is_day(self, day: date) -> Condition:
        return attribute("budget_day") == self._map.scalar(day)

    def _change(self, *actions: Action, condition: Condition | None = None) -> Control:
        self._seen = self._map.value(Control, self._table.update(keys.CONTROL, actions, condition))
        return self._seen


def _number(value: int) -> Attribute:
    return {"N": str(value)}
