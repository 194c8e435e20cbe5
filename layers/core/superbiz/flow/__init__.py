"""A run, step by step: the ordered list that the state machine and the in-process runner both follow."""

from superbiz.flow.endings import ENDINGS, Ending, enqueue_evaluation, fail, notify
from superbiz.flow.outcome import RunRef, StepOutcome
from superbiz.flow.running import run_in_process
from superbiz.flow.steps import STEPS
from superbiz.flow.taking import take

__all__ = ["ENDINGS", "STEPS", "Ending", "RunRef", "StepOutcome", "enqueue_evaluation", "fail", "notify", "run_in_process", "take"]
