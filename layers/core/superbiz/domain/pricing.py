"""What a run costs on AWS beside the model: public list prices, US dollars, us-east-1, arm64 (AWS price pages, 2026)."""

from collections.abc import Iterable

from superbiz.domain.runs import Step, StepName

GB_SECOND = 0.0000133334
LAMBDA_REQUEST = 0.0000002
STATE_TRANSITION = 0.000025
TABLE_WRITE = 0.000000625
MEMORY_GB = {StepName.EXECUTOR: 1.5, StepName.GATEKEEPER: 0.5, StepName.VERIFIER: 0.5, StepName.COMPOSER: 0.5}
ENDING_TRANSITIONS = 3


def platform_cost(steps: Iterable[Step], writes: int) -> float:
    """Lambda time, requests, state transitions and table writes of the finished steps. An estimate: free tiers are left out."""
    done = [s for s in steps if s.finished_at is not None]
    compute = sum(MEMORY_GB[s.agent_name] * (s.finished_at - s.started_at).total_seconds() for s in done if s.finished_at) * GB_SECOND
    return round(compute + len(done) * LAMBDA_REQUEST + (len(done) + ENDING_TRANSITIONS) * STATE_TRANSITION + writes * TABLE_WRITE, 8)
