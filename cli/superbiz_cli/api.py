"""Commands against an API: ask, send an alarm, read runs and traces, give feedback."""

import json
import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from superbiz.domain import canonical
from superbiz.domain.runs import Feedback
from superbiz.errors import Invalid, Rejected, Unavailable
from superbiz_cli.client import ApiClient
from superbiz_cli.output import err, out, print_json, show_answer, show_table

READY_FILE = Path(".superbiz/ready.json")
ALARM_PATIENCE_SECONDS = 30.0
OK = 200
RUN_COLUMNS = {
    "run": "runId",
    "created": "createdAt",
    "status": "status",
    "verdict": "verdict",
    "conclusion": "conclusion",
    "first cause": "firstCause",
    "feedback": "feedback",
    "title": "title",
}

Api = Annotated[
    str | None,
    typer.Option("--api", envvar="SUPERBIZ_API", help="The API's address. Default: the local stack that `superbiz up` started here."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]


class Switch(StrEnum):
    """A switch of the CONTROL item."""

    INTAKE = "intake"
    MODEL = "model"


class Act(StrEnum):
    """What to do with it."""

    PAUSE = "pause"
    RESUME = "resume"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    for command in (chat, alarm, runs, trace, feedback, control):
        app.command()(command)


def client(api: str | None) -> ApiClient:
    """The named API, or the local stack's."""
    api = api or _local()
    if api is None:
        raise Invalid(
            "which API? none is named and no local stack is up here", mend="give --api URL, set SUPERBIZ_API, or start `superbiz up`"
        )
    return ApiClient(api)


def _local() -> str | None:
    """The address in the ready file, where there is one."""
    try:
        return str(json.loads(READY_FILE.read_text(encoding="utf-8"))["api_url"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise Invalid(
            f"{READY_FILE}: no ready file of a local stack", mend="remove it and start `superbiz up` again, or give --api URL"
        ) from e


def chat(
    text: Annotated[str, typer.Argument(help="The question.")],
    session: Annotated[str | None, typer.Option("--session", help="Go on in this session.")] = None,
    api: Api = None,
    as_json: Json = False,
) -> None:
    """Ask a question, watch the run, read the verified answer."""
    at = client(api)
    opened = at.call("POST", "/api/chat", {"question": text} | ({"sessionId": session} if session else {}))
    _follow(at, opened["runId"], as_json)


def alarm(
    event: Annotated[Path, typer.Argument(help="An alarm's event as JSON: EventBridge, SNS or Lambda action form.")],
    api: Api = None,
    as_json: Json = False,
) -> None:
    """Send an alarm's event to the intake, and follow the run that it opens or joins.

    Where it leads to no run (the alarm is over, the intake is paused), what became of the event is printed instead.
    """
    at = client(api)
    sent = _sent(at, event)
    settled = _settled(at, sent)
    if settled["runId"]:
        _follow(at, settled["runId"], as_json)
    elif as_json:
        print_json(settled)
    else:
        out.print(f"{settled['outcome']}: {settled['reason']}", markup=False)


def runs(
    status: Annotated[str | None, typer.Option(help="RUNNING, SUCCESS or FAILED.")] = None,
    verdict: Annotated[str | None, typer.Option(help="PASS, LOW_CONFID or REJECT.")] = None,
    conclusion: Annotated[str | None, typer.Option(help="root_cause, no_fault or inconclusive.")] = None,
    flow: Annotated[str | None, typer.Option(help="CHAT or AI_OPS.")] = None,
    alarm_name: Annotated[str | None, typer.Option("--alarm", help="Runs of this alarm.")] = None,
    feedback_: Annotated[str | None, typer.Option("--feedback", help="useful or not_useful.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100)] = 20,
    cursor: Annotated[str | None, typer.Option(help="The next page, as the page before named it.")] = None,
    api: Api = None,
    as_json: Json = False,
) -> None:
    """List runs, newest first."""
    query = {"status": status, "verdict": verdict, "conclusion": conclusion, "flow": flow, "alarm": alarm_name, "feedback": feedback_}
    page = client(api).call("GET", "/api/runs", query=query | {"limit": limit, "cursor": cursor})
    if as_json:
        print_json(page)
        return
    show_table(RUN_COLUMNS, page["items"])
    if page.get("cursor"):
        out.print(f"more: --cursor {page['cursor']}", markup=False)


def trace(run: Annotated[str, typer.Argument(help="A run's id, or a legacy session's.")], api: Api = None, as_json: Json = False) -> None:
    """Show everything recorded of a run, in order: steps, tool calls, evaluations, feedback."""
    pages = _trace_pages(client(api), run)
    if as_json:
        print_json(pages)
        return
    whose = pages["runId"] or pages["sessionId"]
    out.print(f"{whose} {pages['agentFlow']} {pages['status']} feedback: {pages['feedback'] or '-'}", markup=False)
    for step in pages["steps"]:
        out.print(f"{step['step_index']:>3} {step['agent_name']} (round {step['round']}) {step['status']}", markup=False)
        for call in (c for c in pages["toolInvocations"] if c["step_index"] == step["step_index"]):
            out.print(
                f"      {call['seq']:>3} {call['tool_name']} {call['status']} {call['retrieval_details']['evidence_status']} "
                f"{call['duration_ms']:.0f} ms {call['error_message'] or ''}",
                markup=False,
            )
    for name, node in (pages["selfEvaluation"] or {}).items():
        out.print(f"{name}: {node.get('verdict', node.get('evidence_score'))}", markup=False)


def feedback(
    run: Annotated[str, typer.Argument(help="A run's id.")],
    value: Annotated[Feedback, typer.Argument(help="What you say of its answer.")],
    api: Api = None,
    as_json: Json = False,
) -> None:
    """Say whether a run was useful. A useful run becomes a case; say it again and it is the same case."""
    reply = client(api).call("POST", "/api/feedback", {"runId": run, "feedback": value})
    if as_json:
        print_json(reply)
    else:
        out.print(f"{reply['message']}" + (f" case {reply['caseId']}" if reply["caseId"] else ""), markup=False)


def control(
    act: Annotated[Act | None, typer.Argument(help="pause or resume; left out: show.", show_default=False)] = None,
    switch: Annotated[Switch | None, typer.Argument(help="intake (alarms) or model.", show_default=False)] = None,
    api: Api = None,
    as_json: Json = False,
) -> None:
    """Show the switches and the budget, or pause and resume the intake or the model: no deploy needed."""
    at = client(api)
    if (act is None) is not (switch is None):
        raise Invalid("say what to do with which switch", mend="for example: superbiz control pause intake")
    if act is None or switch is None:
        state = at.call("GET", "/api/control")
    else:
        state = at.call("PUT", "/api/control", {f"{switch}Paused": act is Act.PAUSE})
    if as_json:
        print_json(state)
        return
    for name, value in state.items():
        out.print(f"{name}: {value}", markup=False)


def follow(at: ApiClient, run_id: str) -> Any:
    """Show a run's progress on stderr until it ends, and return it."""
    with err.status(f"{run_id}") as status:
        for event in at.events(run_id):
            line = _told(event.name, event.data)
            if line:
                status.update(line)
                err.print(f"  {line}", markup=False)
    return at.call("GET", f"/api/runs/{quote(run_id, safe='')}")


def _follow(at: ApiClient, run_id: str, as_json: bool) -> None:
    run = follow(at, run_id)
    if as_json:
        print_json(run)
    else:
        show_answer(run["answer"] or f"{run_id} ended {run['status']}: {run.get('error') or ''}")
        err.print(run_id, markup=False)
    if run["status"] == "FAILED":
        raise typer.Exit(1)


def _told(name: str, data: Mapping[str, Any]) -> str:
    if name == "step":
        return f"{data['agentName']} (round {data['round']}): {data['status']}"
    if name == "invocation":
        return f"    {data['toolName']}: {data['status']}, {data['evidenceStatus']}, {data['durationMs']:.0f} ms"
    return ""


def _trace_pages(at: ApiClient, run: str) -> Any:
    """All pages of a trace as one."""
    path = f"/api/trace/{quote(run, safe='')}"
    whole = page = at.call("GET", path)
    while page.get("cursor"):
        page = at.call("GET", path, query={"cursor": page["cursor"]})
        for part in ("steps", "toolInvocations"):
            whole[part] += page[part]
    return {k: v for k, v in whole.items() if k != "cursor"}


def _sent(at: ApiClient, event: Path) -> Any:
    """What the intake said of the file. Refusals name the file."""
    try:
        return at.call("POST", "/api/alarms", canonical.loads(event.read_bytes()))
    except OSError as e:
        raise Invalid(f"can not read {event}: {e.strerror}", mend="name a file with one event") from e
    except Rejected as e:
        raise Invalid(f"{event}: {e.message}", mend=e.mend or "write the event as one JSON object, as it arrived") from e


def _settled(at: ApiClient, sent: Mapping[str, Any]) -> Any:
    """What became of this event, as soon as the intake has taken it. Earlier episodes of the same alarm have runs of their own."""
    until = time.monotonic() + ALARM_PATIENCE_SECONDS
    while time.monotonic() < until:
        reply = at.request("GET", f"/api/incidents/{sent['incidentId']}")
        rows = reply.body["events"] if reply.status == OK else []
        taken = [row for row in rows if row["eventId"] == sent["eventId"] and row["outcome"]]
        if taken:
            return max(taken, key=lambda row: str(row["receivedAt"]))
        time.sleep(0.2)
    raise Unavailable("the intake has not taken the event yet", mend="it is queued and not lost; `superbiz runs` shows its run later")
