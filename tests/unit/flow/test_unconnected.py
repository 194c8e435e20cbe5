"""A run without any evidence source says so, accuses nobody and clears nobody."""

from superbiz import wiring
from superbiz.domain.claims import Conclusion
from superbiz.domain.runs import Status
from superbiz.flow import run_in_process
from superbiz.settings import Settings
from support.builders import RUN_ID, build_request, build_run, build_session
from support.unconnected import WHY, Unconnected


def test_a_run_without_any_source_ends_inconclusive_and_tells_what_it_could_not_read():  # REQ-049
    ports = wiring.in_process(Unconnected(), Settings())
    ports.ledger.open_run(build_run(), build_request(), build_session())
    run_in_process(RUN_ID, ports)
    record = ports.ledger.record(RUN_ID)
    assert record.run.status is Status.SUCCESS
    assert record.run.conclusion is Conclusion.INCONCLUSIVE
    told = {row["what"] for row in record.report["not_checked"]}
    assert told >= {"metrics", "logs", "traces", "changes"}
    assert WHY in record.answer
    assert not [c for c in record.report["claims"] if c["claim_type"] == "absence"]
