"""The demo: an alarm becomes a verified report through the real template, state machine and functions."""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from superbiz.domain.composing.markup import inert
from superbiz.errors import Broken, Unavailable
from superbiz_cli.api import follow
from superbiz_cli.client import ApiClient
from superbiz_cli.output import out, show_answer
from superbiz_cli.simulator.demo import write_demo_world
from superbiz_local.stack import LocalStack
from superbiz_local.triggers import put_alarm_event

INTAKE_PATIENCE_SECONDS = 20.0
EVALUATION_PATIENCE_SECONDS = 15.0


@contextmanager
def demo_world() -> Iterator[Path]:
    """The demo's incident as a world folder, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="superbiz-world-") as folder:
        world = Path(folder) / "order-service"
        write_demo_world(world)
        yield world


def fire(stack: LocalStack, at: ApiClient, world: Path) -> str:
    """Send the world's alarm as CloudWatch would, through EventBridge; the id of the run that it opens."""
    event = json.loads((world / "trigger.json").read_text(encoding="utf-8"))
    name = event["detail"]["alarmName"]
    out.print(f"Alarm {name} goes off: {event['detail']['state']['reason']}\n", markup=False)
    put_alarm_event(stack, event)
    until = time.monotonic() + INTAKE_PATIENCE_SECONDS
    while time.monotonic() < until:
        runs = at.call("GET", "/api/runs", query={"alarm": name, "limit": 1})["items"]
        if runs:
            return str(runs[0]["runId"])
        time.sleep(0.05)
    raise Unavailable("the alarm opened no run")


def tell(at: ApiClient, run_id: str) -> None:
    """Follow a run to its end; print the report, what each citation points at, the evaluation, and the case that feedback makes."""
    run = follow(at, run_id)
    if run["status"] != "SUCCESS":
        raise Broken(f"{run_id} ended {run['status']}: {run.get('error')}")
    out.print()
    show_answer(run["answer"])
    out.print()
    _citations(at, run)
    _evaluation(at, run_id)
    _feedback(at, run_id)


def _citations(at: ApiClient, run: dict[str, Any]) -> None:
    out.print("What each citation points at, read back from the recorded outputs:\n")
    shown = {c["n"]: c for claim in run["report"]["claims"] for c in claim["evidence"]}
    for n, citation in sorted(shown.items()):
        out.print(f"[{n}] {citation['tool_name']} {citation['raw_path']} ({citation['invocation_id']})", markup=False)
        out.print(f"    {inert(citation['excerpt'])}", markup=False)
        path = f"/api/runs/{run['runId']}/invocations/{citation['invocation_id']}/output"
        if at.request("GET", path).status != 200:
            raise Broken(f"citation [{n}] points at an output that is not there")
    out.print()


def _evaluation(at: ApiClient, run_id: str) -> None:
    until = time.monotonic() + EVALUATION_PATIENCE_SECONDS
    while time.monotonic() < until:
        nodes = at.call("GET", f"/api/trace/{quote(run_id)}")["selfEvaluation"] or {}
        if "aiops_rule_evaluation" in nodes:
            verdict = nodes["verifier_evaluation"]
            out.print(f"Verifier: {verdict['verdict']}, groundedness {verdict['groundedness_score']:.2f}", markup=False)
            out.print(f"Evidence sufficiency (rules): {nodes['rule_evaluation']['evidence_score']} of 100", markup=False)
            out.print(f"AIOps checks: {nodes['aiops_rule_evaluation']['verdict']}\n", markup=False)
            return
        time.sleep(0.2)
    raise Unavailable("the run's evaluation did not come")


def _feedback(at: ApiClient, run_id: str) -> None:
    said = at.call("POST", "/api/feedback", {"runId": run_id, "feedback": "useful"})
    case = at.call("GET", f"/api/cases/{said['caseId']}")
    out.print(f"Feedback useful made case {said['caseId']}: {case['title']}", markup=False)


def at_terminal() -> bool:
    """Whether somebody watches."""
    return sys.stdin.isatty() and sys.stdout.isatty()
