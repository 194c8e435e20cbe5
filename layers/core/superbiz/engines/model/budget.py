"""The model budget: taken before each request, for the run and for the day; and the two switches that stop all requests.

A request's tokens are reserved whole (its input and the longest answer) and what was not used is given back. Where an answer never came
whole nothing is given back: it may have been billed.
"""

from typing import Protocol

from superbiz.domain.runs import Run
from superbiz.domain.values import Value
from superbiz.errors import BudgetSpent, SuperBizError, Unavailable
from superbiz.ports import Clock, ControlLedger, Settle, StepLedger

PAUSED, BREAKER_OPEN = "MODEL_PAUSED", "MODEL_BREAKER_OPEN"
# How many failures in a row stop all runs from asking. What no second try will mend stops them at once.
_AFTER = {
    "MODEL_QUOTA": 1,
    "MODEL_KEY": 1,
    "MODEL_NOT_FOUND": 1,
    "MODEL_BUSY": 5,
    "MODEL_DOWN": 5,
    "MODEL_TIMEOUT": 5,
    "MODEL_CUT": 5,
    "MODEL_NONSENSE": 5,
    "MODEL_UNREACHABLE": 5,
}


class ModelLedger(StepLedger, ControlLedger, Protocol):
    """What the model engine needs of the table: replies, the CONTROL item, and the feedback on earlier turns. No case comes near it."""

    def run(self, run_id: str) -> Run | None: ...


class Limits(Value):
    """Tokens a run and a day, seconds a stage, and how long the breaker stays open."""

    run_tokens: int = 200_000
    day_tokens: int = 5_000_000
    breaker_seconds: float = 120.0
    executor_seconds: float = 420.0
    stage_seconds: float = 80.0
    answer_tokens: int = 8_000


class Budget:
    """For one stage of one run. `spent` is what the run has used so far."""

    def __init__(self, ledger: ControlLedger, clock: Clock, limits: Limits, spent: int) -> None:
        self._ledger, self._clock, self._limits = ledger, clock, limits
        self.spent = spent
        self._troubled = False

    def permit(self, tokens: int) -> Settle:
        """Reserve, or raise why not: paused, breaker open, run's or day's budget used up."""
        self._check_switches()
        if self.spent + tokens > self._limits.run_tokens:
            raise BudgetSpent(f"the run's model budget of {self._limits.run_tokens} tokens is used up")
        day = self._clock.now().date()
        if not self._ledger.reserve_tokens(day, tokens, self._limits.day_tokens):
            raise BudgetSpent(f"the day's model budget of {self._limits.day_tokens} tokens is used up")
        self.spent += tokens

        def settle(used: int) -> None:
            self.spent += used - tokens
            self._ledger.settle_tokens(day, tokens, used)

        return settle

    def failed(self, error: SuperBizError) -> None:
        """Count a failure of the endpoint. One of ours (a request it can not take, a budget) is not the endpoint's."""
        if error.code in _AFTER:
            self._ledger.model_failed(self._clock.now(), _AFTER[error.code], self._limits.breaker_seconds)

    def worked(self) -> None:
        """An answer came: the row of failures has ended."""
        if self._troubled:
            self._ledger.model_worked()

    def _check_switches(self) -> None:
        control = self._ledger.control()
        if control.model_paused:
            raise Unavailable("the model is switched off", code=PAUSED, mend="superbiz control resume model")
        if control.open_until and control.open_until > self._clock.now():
            raise Unavailable(
                f"the model endpoint failed lately; it is asked again from {control.open_until:%H:%M:%S} UTC", code=BREAKER_OPEN
            )
        self._troubled = control.failures > 0
