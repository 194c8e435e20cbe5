"""What happens to a table in the product's life, in small."""

from datetime import timedelta

from superbiz.domain import canonical
from superbiz.domain.cases import case_for
from superbiz.domain.ids import run_id_from
from superbiz.domain.incidents import AlarmEvent, AlarmState, Episode, Outcome
from superbiz.domain.knowledge import Chunk, Document, Domain
from superbiz.domain.legacy import LegacySession
from superbiz.domain.runs import Feedback, Flow, MessagePair, Run, StepStatus
from support.builders import (
    NOW,
    QUERY,
    RUN_ID,
    SESSION_ID,
    build_call,
    build_request,
    build_run,
    build_session,
    build_step,
)
from support.tables import Bench

ANSWER = "The pool of order-service ran dry."
LEASE = timedelta(minutes=2)


def open_run(bench: Bench, **fields: object) -> Run:
    run = build_run(**fields)
    return bench.ledger.open_run(run, build_request(), build_session(session_id=run.session_id))


def run_step(bench: Bench, index: int, calls: int = 0) -> None:
    lease = bench.ledger.lease_step(build_step(step_index=index, lease_until=NOW + LEASE), NOW)
    for seq in range(1, calls + 1):
        call = build_call(step_index=index, seq=seq)
        bench.ledger.record_invocation(call.invocation, canonical.encoded(call.output))
    bench.ledger.finish_step(lease.step.model_copy(update={"status": StepStatus.SUCCESS, "lease_until": None}), {"claims": []})


def finish(bench: Bench, answer: str = ANSWER, **fields: object) -> bool:
    run = build_run(**{"finished_at": NOW} | fields)
    pair = MessagePair(run_id=run.run_id, question=QUERY, answer=answer, at=NOW)
    return bench.ledger.finish_run(run, answer, {"schema": "report/1"}, {"verdict": "PASS"}, pair)


def live(bench: Bench) -> None:
    """Everything that the product ever writes, once."""
    ledger = bench.ledger
    open_run(bench)
    run_step(bench, 1, calls=2)
    ledger.save_reply(RUN_ID, 1, 1, {"text": "reply"})
    finish(bench)
    ledger.put_evaluations(RUN_ID, {"rule": {"evidence_score": 65}, "aiops": {"verdict": "PASS"}})
    ledger.record_feedback(RUN_ID, Feedback.USEFUL, NOW, case_for(RUN_ID, QUERY, ANSWER, NOW))
    ledger.record_feedback(RUN_ID, Feedback.NOT_USEFUL, NOW, None)
    ledger.import_legacy([LegacySession(session_id="old", answer=ANSWER)])
    event = AlarmEvent(event_id="e", incident_id="fp", alarm_name="a", state=AlarmState.ALARM, received_at=NOW)
    ledger.settle_event(ledger.record_event(event).model_copy(update={"outcome": Outcome.DEFERRED}))
    alarm_run = build_run(run_id=run_id_from("alarm"), session_id="episode", agent_flow=Flow.AI_OPS)
    episode = Episode(incident_id="fp", opened_at=NOW, session_id="episode", alarm_name="a", last_event_at=NOW)
    ledger.admit_alarm(episode, alarm_run, build_request(), build_session(session_id="episode"), NOW)
    ledger.put_domain(Domain(domain_id="shop", name="Shop", created_at=NOW))
    put_document(bench, "v", "AlarmA")
    ledger.switch(intake_paused=True)


def put_document(bench: Bench, version: str, *document_keys: str) -> None:
    document = Document(
        document_id="d",
        domain_id="shop",
        title="T",
        filename="t.md",
        keys=document_keys,
        version=version,
        created_at=NOW,
        updated_at=NOW,
    )
    chunks = [Chunk(chunk_id=f"c{n}", document_id="d", version=version, position=n, heading="", text="text") for n in range(30)]
    bench.ledger.put_document(document, chunks)


def admit(bench: Bench, name: str, incident_id: str = "fp") -> object:
    run = build_run(run_id=run_id_from(name), agent_flow=Flow.AI_OPS)
    episode = Episode(incident_id=incident_id, opened_at=NOW, session_id=SESSION_ID, alarm_name="a", last_event_at=NOW)
    return bench.ledger.admit_alarm(episode, run, build_request(), build_session(), NOW - LEASE)
