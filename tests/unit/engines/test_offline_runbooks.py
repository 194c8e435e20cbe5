"""The runbook's steps in the next steps: word for word, cited, and never of a page that is about something else."""

from typing import Any

import pytest

from superbiz.domain import executor_output
from superbiz.domain.claims import ClaimType
from superbiz.domain.dossier import Dossier
from superbiz.domain.evidence import ToolCategory
from superbiz.engines.offline import citing, runbooks
from superbiz.engines.offline.executor import OfflineExecutor
from superbiz.ports import RecordedCall
from superbiz.services import verifying
from support.builders import RUN_ID, build_call
from support.incidents import Incident, brief, toolbox

MITIGATION = """1. Check pod events via `kubectl -n $NAMESPACE describe pod $POD`.
2. Raise the "pool size" of the service
   in small steps
3. Don't restart the "primary" via `kubectl`

```sh
kubectl rollout undo deployment/cart
```
"""


def hit(text: str, level: str = "L0", score: float = 1.0, document_id: str = "doc-7", heading: str = "Pool > Mitigation") -> dict[str, Any]:
    return {
        "level": level, "document_id": document_id, "chunk_id": f"{document_id}#{len(text)}", "heading": heading, "text": text,
        "score": score, "via": "key",
    }  # fmt: skip


def looked_up(*hits: dict[str, Any]) -> list[RecordedCall]:
    output = {"hits": list(hits), "window": None, "queried_at": "2026-07-08T23:10:00Z", "complete": True}
    return [build_call(output, tool_name="lookup_knowledge", category=ToolCategory.KNOWLEDGE)]


def told(*hits: dict[str, Any]) -> list[str]:
    return [step.text for step in runbooks.steps(looked_up(*hits))]


def test_steps_stand_as_they_are_written_in_marks_that_they_do_not_hold() -> None:
    assert told(hit(MITIGATION)) == [
        "From doc-7: 'Check pod events via `kubectl -n $NAMESPACE describe pod $POD`'.",
        "From doc-7: 'Raise the \"pool size\" of the service in small steps'.",
        'From doc-7: Don\'t restart the "primary" via `kubectl`.',
    ]
    assert told(hit("```sh\nkubectl rollout undo deployment/cart\n```")) == ["From doc-7: `kubectl rollout undo deployment/cart`."]
    assert told(hit("- 先重启网关", heading="网关超时 > 处理步骤")) == ['From doc-7: "先重启网关".']


def test_every_step_cites_the_passage_that_holds_it() -> None:
    calls = looked_up(hit("x " * 300 + "\n\n" + MITIGATION))
    outputs = {c.invocation.invocation_id: c.output for c in calls}
    for step in runbooks.steps(calls):
        assert len(step.evidence) == 1
        assert citing.holds(step.evidence[0], outputs)
        assert len(step.evidence[0].evidence_excerpt) <= citing.LONGEST


def test_a_page_that_a_key_names_leads_whatever_else_is_like_the_question() -> None:
    related = hit("- Delete the archived segments", "L1", 0.9, "disk")
    named = hit("- Raise the pool size of the service", "L0", 1.0, "pool")
    assert told(related, named) == ['From pool: "Raise the pool size of the service".']
    assert told(related, hit("It is about pools.", "L0", 1.0, "pool", "Pool > Meaning")) == []


@pytest.mark.parametrize(("score", "steps"), [(runbooks.LEAST_SCORE, 1), (runbooks.LEAST_SCORE - 0.01, 0)])
def test_a_page_that_is_hardly_related_gives_no_steps(score: float, steps: int) -> None:
    """REQ-021: a hit tells where to look; what is about something else does not lead."""
    assert len(told(hit("- Delete the archived segments", "L1", score, "disk"))) == steps


def test_only_the_leading_page_is_followed_and_acting_comes_before_looking() -> None:
    page = [hit("- Look at the pool's metrics", "L1", 0.6, "pool", "Pool > Diagnosis"), hit("- Raise the pool size", "L1", 0.5, "pool")]
    assert told(*page, hit("- Delete the archived segments", "L1", 0.55, "disk")) == [
        'From pool: "Raise the pool size".',
        'From pool: "Look at the pool\'s metrics".',
    ]


def test_no_hits_are_no_steps() -> None:
    assert runbooks.steps([]) == []
    assert runbooks.steps(looked_up()) == []


class Shelf:
    """Knowledge that has one page."""

    def find(self, keys: Any, query: str, limit: int = 5) -> Any:
        from superbiz.domain.knowledge import KnowledgeHit

        return [KnowledgeHit(**hit(MITIGATION))]


def test_the_gatekeeper_lets_them_pass_and_the_verifier_finds_them_carried() -> None:
    """REQ-047: quoted steps, with commands and quotation marks in them, are citations like any other."""
    incident = Incident()
    tools = toolbox(incident, Shelf())
    raw = OfflineExecutor().execute(brief(None), tools).raw
    parse, output = executor_output.parse(raw, RUN_ID, 1)
    assert output is not None
    actions = {c.claim_id for c in output.claims if c.claim_type is ClaimType.ACTION and c.evidence}
    assert len(actions) == 3
    recorded = tools.recorded()
    calls_made = {c.invocation.invocation_id: c.invocation for c in recorded}
    outputs = {c.invocation.invocation_id: c.output for c in recorded if c.output is not None}
    checked = verifying.check(Dossier(RUN_ID, "why?", calls_made, outputs, parse, output))
    assert checked["gatekeeper_result"]["rejected_claim_ids"] == []
    assert {c["claim_id"]: c["reason"] for c in checked["claim_checks"] if c["claim_id"] in actions and c["result"] != "SUPPORTED"} == {}
