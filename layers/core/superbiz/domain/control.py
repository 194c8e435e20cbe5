"""The CONTROL item: switches, the day's model budget, the breaker."""

from datetime import date

from superbiz.domain.values import UtcTime, Value


class Control(Value):
    """`spent_tokens` are reserved or used on `budget_day` (UTC)."""

    intake_paused: bool = False
    model_paused: bool = False
    budget_day: date | None = None
    spent_tokens: int = 0
    open_until: UtcTime | None = None
    failures: int = 0
