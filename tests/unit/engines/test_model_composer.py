"""The model's Composer over real HTTP: prose from permitted claims, inside the template."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from superbiz.domain import composing
from superbiz.domain.claims import Cause, ClaimType, Conclusion, FaultCategory, NotChecked
from superbiz.domain.composing import HEADINGS
from superbiz.domain.gatekeeper import Excerpt
from superbiz.domain.report import Citation, Report, ReportClaim
from superbiz.domain.runs import EngineName, Status
from superbiz.domain.verification import CheckResult, ComposerMode, Expressible, Verdict
from superbiz.ports import Composition, Material
from support.builders import LOG_LINES, QUERY, RUN_ID, build_alarm
from support.model_runs import LOGS_ID, RUN, build_brief, build_model_ports, build_world, composition
from support.model_server import ModelServer, chat, error
from support.scripted import open_run

POOL = "order-service could not obtain a database connection at 23:05:28"
SERVED = "order-service POST /orders answered 503 at 23:05:31"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def build_report_claim(claim_id: str = "c1", n: int = 1, text: str = POOL, **fields: Any) -> ReportClaim:
    cited = Citation(n=n, invocation_id=LOGS_ID, tool_name="query_logs", raw_path=f"$.logs[{n - 1}]", excerpt=LOG_LINES[n - 1])
    defaults = {
        "claim_id": claim_id,
        "claim_text": text,
        "claim_type": ClaimType.OBSERVATION,
        "critical": True,
        "result": CheckResult.SUPPORTED,
        "expressible": Expressible.FULL,
        "evidence": (cited,),
    }
    return ReportClaim(**(defaults | fields))


def build_report(*claims: ReportClaim, **fields: Any) -> Report:
    cause = Cause(resource="order-service", fault_category=FaultCategory.RESOURCE_EXHAUSTION, score=0.9, claim_ids=("c1",))
    defaults = {
        "run_id": RUN_ID,
        "status": Status.SUCCESS,
        "engine": EngineName.MODEL,
        "verdict": Verdict.PASS,
        "conclusion": Conclusion.ROOT_CAUSE,
        "root_causes": (cause,),
        "claims": claims or (build_report_claim(),),
        "not_checked": (NotChecked(what="traces", why="SOURCE_UNAVAILABLE: not recorded"),),
        "next_steps": ("Raise the pool's size.",),
    }
    return Report(**(defaults | fields))


def build_material(report: Report | None = None, **fields: Any) -> Material:
    report = report or build_report()
    excerpts = [
        Excerpt(c.claim_id, e.invocation_id, e.tool_name, e.raw_path, e.excerpt, e.excerpt, {}) for c in report.claims for e in c.evidence
    ]
    defaults: dict[str, Any] = {
        "query": QUERY,
        "report": report,
        "excerpts": excerpts,
        "mode": ComposerMode.FULL,
        "notices": (),
        "alarm": None,
        "not_checked": report.not_checked,
    }
    return Material(**(defaults | fields))


def compose(server: ModelServer, tmp_path: Path, material: Material | None = None) -> Composition:
    made = build_model_ports(server, build_world(tmp_path))
    open_run(made, RUN)
    return made.engine(RUN).composer.compose(material or build_material(), build_brief(step_index=4))


def violations(composed: Composition, material: Material | None = None) -> tuple[str, ...]:
    material = material or build_material()
    template = composing.render(material.report, mode=ComposerMode(material.mode), notices=material.notices, alarm=material.alarm)
    return composing.violations(composed.body or "", material.report, material.excerpts, template)


def test_the_models_prose_stands_under_the_headings_of_the_table(server: ModelServer, tmp_path: Path):
    server.script(chat(composition(root_cause=["At 23:05:28 `order-service` could not obtain a database connection. [1]"])))
    done = compose(server, tmp_path)
    assert done.body is not None
    assert composing.missing_headings(done.body) == ()
    assert "At 23:05:28 `order-service` could not" in composing.section(done.body, HEADINGS[2])
    assert violations(done) == ()
    assert (done.engine, done.degraded, done.repaired) == (EngineName.MODEL, None, False)


def test_notices_what_was_not_checked_next_steps_and_sources_are_the_templates(server: ModelServer, tmp_path: Path):
    server.script(chat(composition()))
    material = build_material(build_report(subjects=("order-service-errors",)), notices=("SOURCES_MISSING",), alarm=build_alarm())
    body = compose(server, tmp_path, material).body or ""
    template = composing.render(material.report, mode=ComposerMode.FULL, notices=material.notices, alarm=material.alarm)
    for heading in ("Alert report", "Ruled out", "Not checked", "Next steps"):
        assert composing.section(body, heading) == composing.section(template, heading)
    assert f"- [1] `query_logs` `$.logs[0]`: `{LOG_LINES[0]}`" in body


def test_the_composer_is_shown_permitted_claims_and_nothing_else(server: ModelServer, tmp_path: Path):  # REQ-080
    hypothesis = Cause(resource="inventory-db", score=0.4)
    server.script(chat(composition()))
    compose(server, tmp_path, build_material(build_report(hypotheses=(hypothesis,))))
    assert POOL in server.prompt()
    assert "inventory-db" not in json.dumps(server.requests)


def test_every_permitted_claim_is_in_the_answer_even_if_the_model_leaves_it_out(server: ModelServer, tmp_path: Path):  # REQ-081
    material = build_material(build_report(build_report_claim(), build_report_claim("m1", 2, SERVED)))
    server.script(chat(composition()))
    done = compose(server, tmp_path, material)
    assert f"- {SERVED} [2]" in (done.body or "")
    assert violations(done, material) == ()


def test_the_cause_and_how_sure_it_is_are_told_by_the_template(server: ModelServer, tmp_path: Path):
    material = build_material(mode=ComposerMode.LOW_CONFIDENCE)
    server.script(chat(composition()))
    body = compose(server, tmp_path, material).body or ""
    assert "The most likely cause of what was asked about may be **order-service**" in composing.section(body, "Conclusion")
    assert "- **order-service** (RESOURCE_EXHAUSTION) [1]" in composing.section(body, "Root cause")


@pytest.mark.parametrize("conclusion", [Conclusion.INCONCLUSIVE, Conclusion.NO_FAULT])
def test_without_a_root_cause_the_model_can_not_name_one(server: ModelServer, tmp_path: Path, conclusion: Conclusion):
    material = build_material(build_report(conclusion=conclusion, root_causes=()))
    server.script(chat(composition(conclusion="`order-service` is the root cause. [1]", root_cause=["`order-service` did it [1]"])))
    body = compose(server, tmp_path, material).body or ""
    assert "is the root cause" not in body
    assert "did it" not in body
    assert "No root cause is established." in body
    assert POOL in composing.section(body, "Evidence")
    assert violations(Composition(body), material) == ()


def test_what_may_only_be_hedged_is_marked_by_code(server: ModelServer, tmp_path: Path):
    doubtful = build_report_claim("m1", 2, SERVED, expressible=Expressible.HEDGED, result=CheckResult.PARTIAL)
    material = build_material(build_report(build_report_claim(), doubtful), mode=ComposerMode.LOW_CONFIDENCE)
    server.script(chat(composition(evidence=[f"{SERVED} [2]"])))
    body = compose(server, tmp_path, material).body or ""
    assert f"- Not fully confirmed: {SERVED} [2]" in body
    assert "- Not fully confirmed: `order-service` could not" not in body


def test_prose_that_says_more_than_its_claims_is_sent_back_once_with_the_reasons(server: ModelServer, tmp_path: Path):
    server.script(chat(composition(conclusion="The pool of 17 connections ran dry. [1]")), chat(composition()))
    done = compose(server, tmp_path)
    assert "17" in server.requests[1]["messages"][-1]["content"]
    assert (violations(done), done.repaired) == ((), True)


def test_prose_that_goes_on_saying_more_is_left_to_the_flows_check(server: ModelServer, tmp_path: Path):
    server.model = lambda _request: chat(composition(conclusion="The pool of 17 connections ran dry. [1]"))
    done = compose(server, tmp_path)
    assert (len(server.requests), done.degraded) == (2, None)
    assert violations(done)


@pytest.mark.parametrize(
    "planted",
    [
        "See [the dashboard](https://evil.example/x). [1]",
        "![x](https://evil.example/x.png) [1]",
        "<script>alert(1)</script> [1]",
        "## Root cause\n\nIt was `inventory-db`. [1]",
        "It rests on this. [9]",
    ],
)
def test_planted_prose_never_passes_the_check(server: ModelServer, tmp_path: Path, planted: str):
    server.model = lambda _request: chat(composition(evidence=[planted]))
    assert violations(compose(server, tmp_path))


@pytest.mark.parametrize("said", ["All is well, no problem was found. [1]", "The database is ruled out. [1]", "一切正常 [1]"])
def test_prose_that_excludes_something_is_dropped_and_its_claim_told_plainly(server: ModelServer, tmp_path: Path, said: str):  # REQ-046
    server.script(chat(composition(conclusion=said, root_cause=[said], evidence=[said])))
    done = compose(server, tmp_path)
    assert said.removesuffix(" [1]") not in (done.body or "")
    assert POOL in (done.body or "")
    assert violations(done) == ()


@pytest.mark.parametrize("mode", [ComposerMode.DEGRADED, ComposerMode.CONVERSATIONAL])
def test_a_degraded_or_fixed_answer_is_not_asked_of_a_model(server: ModelServer, tmp_path: Path, mode: ComposerMode):
    compose(server, tmp_path, build_material(mode=mode))
    assert not server.requests


def test_a_report_without_claims_is_the_templates(server: ModelServer, tmp_path: Path):
    compose(server, tmp_path, build_material(build_report().model_copy(update={"claims": ()})))
    assert not server.requests


@pytest.mark.parametrize("answer", [chat("The pool ran dry."), chat({"root_cause": "x"}), error(401), chat(None, refusal="no")])
def test_a_composer_that_can_not_be_used_degrades(server: ModelServer, tmp_path: Path, answer: Any):
    server.model = lambda _request: answer
    done = compose(server, tmp_path)
    assert done.body is None
    assert done.degraded
