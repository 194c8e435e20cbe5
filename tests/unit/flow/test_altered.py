"""Outputs that are no longer what was recorded, and the span of time that a run is about."""

from dataclasses import replace
from datetime import timedelta

import pytest

from superbiz.domain import canonical
from superbiz.domain.runs import StepName
from superbiz.domain.values import Window
from superbiz.flow import RunRef, run_in_process, take
from superbiz.ports import Ports
from support.builders import NOW, RUN_ID, build_log_output
from support.scripted import PastSource, build_ports, open_run


class Incident(PastSource):
    """A source that knows when it happened, two days after the log line that is cited."""

    def window(self) -> Window:
        return Window(start=NOW + timedelta(days=2), end=NOW + timedelta(days=3))


def judged_after(change, ports: Ports | None = None):
    """The run's end, where something happens to its stored outputs between the Executor and the Gatekeeper."""
    ports = ports or build_ports()
    open_run(ports)
    take(StepName.EXECUTOR, RunRef(run_id=RUN_ID), ports)
    change(ports)
    run_in_process(RUN_ID, ports)
    record = ports.ledger.record(RUN_ID)
    assert record is not None
    return record.self_evaluation["verifier_evaluation"]


def other_bytes(ports: Ports) -> None:
    stored = ports.ledger._store.outputs
    for key in stored:
        stored[key] = canonical.encoded(build_log_output(("2026-07-08 23:05:28 ERROR billing-service Connection is not available",)))


def test_an_altered_output_is_a_rejection_and_no_crash():
    node = judged_after(other_bytes)
    claim = node["gatekeeper_result"]["claims"][0]
    assert (claim["status"], claim["codes"]) == ("UNVERIFIED", ["OUTPUT_ALTERED"])
    assert "no longer have the hash sha256:" in claim["bindings"][0]["reason"]
    assert node["verdict"] != "PASS"


def test_an_unaltered_one_passes_with_the_rules_that_judged_it():  # REQ-064 REQ-209
    node = judged_after(lambda _: None)
    assert node["verdict"] == "PASS"
    assert node["gatekeeper_result"]["rule_set"]["version"] == node["gatekeeper_result"]["rules_version"]
    check = node["gatekeeper_result"]["claims"][0]["bindings"][0]
    assert check["end"] - check["start"] == len("Connection is not available")


@pytest.mark.parametrize(("source", "lowered"), [(Incident(), ["OUTSIDE_INCIDENT"]), (PastSource(), [])])
def test_the_source_tells_the_incident_and_evidence_from_another_time_is_lowered(source, lowered):
    ports = replace(build_ports(), evidence=lambda _record: source)
    node = judged_after(lambda _: None, ports)
    assert node["gatekeeper_result"]["claims"][0]["lowered_by"] == lowered
