"""The demo's incident, diagnosed from end to end: what a stranger sees first must be right."""

import pytest

from superbiz.domain import canonical, refs
from superbiz_cli.simulator.demo import write_demo_world
from superbiz_cli.worlds import Diagnosis, diagnose


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    world = tmp_path_factory.mktemp("demo") / "world"
    write_demo_world(world)
    return diagnose(world)


def test_the_service_with_the_small_pool_is_named_first(diagnosis: Diagnosis):
    report = diagnosis.record.report
    assert (report["verdict"], report["conclusion"]) == ("PASS", "root_cause")
    first = report["root_causes"][0]
    assert (first["resource"], first["fault_category"]) == ("order-service", "CONFIGURATION")


def test_the_deploy_before_it_is_told_and_the_red_herrings_are_ruled_out(diagnosis: Diagnosis):
    assert "UpdateService of order-service" in diagnosis.record.answer
    assert "maximum-pool-size changed from 10 to 1" in diagnosis.record.answer
    assert {row["what"].split(" of ")[0] for row in diagnosis.record.report["ruled_out"]} >= {"BackupFinished", "RunTask"}


def test_no_true_claim_of_it_is_lowered(diagnosis: Diagnosis):
    claims = [c for c in diagnosis.record.report["claims"] if c["claim_type"] != "action"]
    assert {c["result"] for c in claims} == {"SUPPORTED"}
    assert len(claims) >= 8


def test_every_citation_stands_in_the_recorded_output(diagnosis: Diagnosis):
    outputs = {call: canonical.loads(data) for call, data in diagnosis.file.outputs.items()}
    cited = [c for claim in diagnosis.record.report["claims"] for c in claim["evidence"]]
    assert cited
    for c in cited:
        assert c["excerpt"] in refs.derive(outputs[c["invocation_id"]], c["raw_path"]).text


def test_all_three_evaluations_stand(diagnosis: Diagnosis):  # REQ-015
    nodes = diagnosis.record.self_evaluation
    assert nodes["rule_evaluation"]["evidence_score"] == 65
    assert nodes["verifier_evaluation"]["verdict"] == "PASS"
    assert nodes["aiops_rule_evaluation"]["verdict"] == "PASS"
