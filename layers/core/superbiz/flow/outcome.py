"""What passes between the steps: ids and control fields only."""

from superbiz.domain.runs import StepName
from superbiz.domain.values import Value
from superbiz.domain.verification import Verdict

FIRST_ROUND, LAST_ROUND = 1, 2
_OFFSET = {StepName.EXECUTOR: 1, StepName.GATEKEEPER: 2, StepName.VERIFIER: 3, StepName.COMPOSER: 4}
_STEPS_A_ROUND = 3


class RunRef(Value):
    """The state machine's state: which run, which round."""

    run_id: str
    round: int = FIRST_ROUND


class StepOutcome(Value):
    """What the next state reads. `retry` is true where round 2 is to collect more evidence."""

    run_id: str
    round: int = FIRST_ROUND
    verdict: Verdict | None = None
    retry: bool = False

    @property
    def next_ref(self) -> RunRef:
        """The run at the round that comes next."""
        return RunRef(run_id=self.run_id, round=self.round)


def step_index(step: StepName, round_: int) -> int:
    """Executor, Gatekeeper and Verifier of round 1 are 1-3, of round 2 are 4-6; the Composer follows the last Verifier."""
    return (round_ - FIRST_ROUND) * _STEPS_A_ROUND + _OFFSET[step]
