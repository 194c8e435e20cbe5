"""Runs in a ledger, at each stage of their life."""

from datetime import timedelta
from typing import Any

from superbiz.domain import canonical
from superbiz.domain.claims import Conclusion
from superbiz.domain.evidence import Invocation
from superbiz.domain.runs import MessagePair, Run, StepStatus
from superbiz.domain.verification import Verdict
from superbiz.ports import Ports, RecordedCall
from support.builders import NOW, QUERY, build_call, build_request, build_run, build_session, build_step

ANSWER = "## Conclusion\n\norder-service could not obtain a database connection [1]."
VERIFIER = {"verdict": "PASS", "groundedness_score": 0.8, "critical_fact_count": 2, "rationale": "the line says so", "round": 1}
CAUSE = {"resource": "order-service", "operation": None, "fault_category": "RESOURCE_EXHAUSTION", "score": 0.9, "claim_ids": ["c1"]}


def open_run(ports: Ports, query: str = QUERY, trigger: Any = None, **fields: Any) -> Run:
    run = build_run(**fields)
    session = build_session(session_id=run.session_id)
    return ports.ledger.open_run(run, build_request(query=query, trigger=trigger), session)


def record_step(ports: Ports, *calls: RecordedCall, run: Run, done: bool = True, **fields: Any) -> None:
    """A step with its calls, finished unless told otherwise. It is an Executor's first unless the fields say more."""
    lease = {"lease_until": NOW + timedelta(seconds=30)}
    wanted = build_step(**({"run_id": run.run_id, "session_id": run.session_id} | lease | fields))
    step = ports.ledger.lease_step(wanted, NOW).step
    for call in calls:
        output = canonical.encoded(call.output) if call.output is not None else None
        ports.ledger.record_invocation(call.invocation, output)
    if done:
        ended = step.model_copy(update={"status": StepStatus.SUCCESS, "finished_at": NOW, "has_tool_call": bool(calls)})
        ports.ledger.finish_step(ended, {"claims": []})


def finish(ports: Ports, run: Run, answer: str = ANSWER, **fields: Any) -> Run:
    """The run at its good end."""
    ended = run.model_copy(update={"verdict": Verdict.PASS, "conclusion": Conclusion.ROOT_CAUSE, "finished_at": ports.clock.now()} | fields)
    pair = MessagePair(run_id=run.run_id, question="q", answer=answer, at=ports.clock.now())
    report = {"schema": "report/1", "run_id": run.run_id, "conclusion": "root_cause", "root_causes": [CAUSE]}
    assert ports.ledger.finish_run(ended, answer, report, VERIFIER, pair)
    found = ports.ledger.run(run.run_id)
    assert found is not None
    return found


def finished_run(ports: Ports, *, answer: str = ANSWER, calls: tuple[RecordedCall, ...] | None = None, **fields: Any) -> Run:
    """A finished run with one recorded call."""
    run = open_run(ports, **fields)
    given = (call_of(run),) if calls is None else calls
    record_step(ports, *given, run=run)
    return finish(ports, run, answer)


def failed_run(ports: Ports, **fields: Any) -> Run:
    run = open_run(ports, **fields)
    assert ports.ledger.fail_run(run.run_id, "States.Timeout", ports.clock.now())
    return run


def call_of(run: Run, output: Any = None, **fields: Any) -> RecordedCall:
    return build_call(output, run_id=run.run_id, session_id=run.session_id, **fields)


def first_call(ports: Ports, run: Run) -> Invocation:
    return ports.ledger.invocations(run.run_id)[0]
