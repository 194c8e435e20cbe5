"""A run's process dies between any two of its writes: the run ends all the same, and nothing that is on record is done again."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from superbiz_local.packaging import from_source
from superbiz_local.stack import ROOT, LocalStack
from support.local import QUESTION, Json, ask, call, ended, eventually
from support.model_runs import calling, finishing, stage_of
from support.model_runs import plays_over_errors as plays
from support.model_server import MODEL, Answer, ModelServer, chat

pytestmark = pytest.mark.stack
DYING = Path(__file__).parent / "dying"
AT_ONCE = 6


class Seen(NamedTuple):
    """What a run did, as the outside saw it: its plan, tools run, questions to the model by stage, calls on record, writes."""

    run: Json
    plan: str
    tools: Counter[str]
    asked: Counter[str]
    calls: list[str]
    writes: int


class Mortal(NamedTuple):
    stack: LocalStack
    server: ModelServer
    place: Path


@pytest.fixture(scope="module")
def mortal(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mortal]:
    """The product with the model engine, its executor and steps mortal."""
    functions, place = tmp_path_factory.mktemp("functions"), tmp_path_factory.mktemp("deaths")
    for name in ("plans", "claimed", "seen", "writes", "tools", "died"):
        (place / name).mkdir()
    for file in (ROOT / "functions").glob("*.py"):
        shutil.copy(file, functions / (f"real_{file.name}" if (DYING / file.name).exists() else file.name))
    for file in DYING.glob("*.py"):
        shutil.copy(file, functions)
    (functions / "place.txt").write_text(str(place))
    sources = from_source(ROOT)._replace(functions=functions)
    with ModelServer() as server:
        server.model = plays(action=look_then_finish)
        parameters = {"Engine": "model", "ModelBaseUrl": server.base_url, "ModelName": MODEL, "LeaseSeconds": "4"}
        with LocalStack(world_dir=world, parameters=parameters, vectors=False, sources=sources, wait_scale=0.05) as stack:
            yield Mortal(stack, server, place)


def look_then_finish(request: Json) -> Answer:
    """One tool call first; then, when the model sees its outcome, the end."""
    said = [m for m in request["messages"] if m["role"] == "assistant"]
    return chat(finishing() if said else calling(("current_time", {})))


def live(mortal: Mortal, token: str) -> Seen:
    """One run, from its question to its end."""
    run = ended(mortal.stack, ask(mortal.stack, question=f"{QUESTION} ({token})")["runId"], patience=120)
    run_id = run["runId"]
    trace = call(mortal.stack, "GET", f"/api/trace/{run_id}").body
    calls = [f"{one['tool_name']} {json.dumps(one['input_params'])}".replace(token, "") for one in trace["toolInvocations"]]
    plan = mortal.place / "claimed" / run_id
    asked = Counter(stage_of(request) for request in list(mortal.server.requests) if token in json.dumps(request["messages"]))
    settled(mortal.stack, run_id)
    return Seen(
        run,
        plan.read_text() if plan.exists() else "",
        Counter((mortal.place / "tools" / run_id).read_text().replace(token, "").splitlines()),
        asked,
        calls,
        (mortal.place / "writes" / run_id).stat().st_size,
    )


def settled(stack: LocalStack, run_id: str) -> None:
    """The execution has ended too, and well."""
    machine, arn = stack.client("stepfunctions"), stack.outputs["StateMachineArn"].replace(":stateMachine:", ":execution:")

    def execution() -> Json | None:
        found: Json = machine.describe_execution(executionArn=f"{arn}:{run_id}")
        return found if found["status"] != "RUNNING" else None

    end = eventually(execution, f"{run_id} goes on", 60)
    assert end["status"] == "SUCCEEDED", (end.get("error"), end.get("cause"))


def doubled(seen: Counter[str], reference: Counter[str]) -> Counter[str]:
    assert not reference - seen
    return seen - reference


# REQ-207: a recorded call is not executed again, a stored reply not paid again; only what was under way at the death may be.
def test_a_run_that_dies_at_any_write_ends_and_does_nothing_twice(mortal: Mortal) -> None:
    live(mortal, "token-first")  # makes what is made but once a day and session
    reference = live(mortal, "token-reference")
    assert (reference.run["status"], reference.run["engine"], reference.run["degraded"]) == ("SUCCESS", "model", None)
    assert reference.asked == {"action": 2, "verification": 1, "composition": 1}
    plans = [*(f"{n}-before" for n in range(1, reference.writes + 1)), f"{reference.writes}-after"]
    for plan in plans:
        (mortal.place / "plans" / plan).write_text(plan)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = list(pool.map(lambda n: live(mortal, f"token-{n:04}"), range(len(plans))))
    assert sorted(seen.plan for seen in runs) == sorted(plans)
    assert {path.name for path in (mortal.place / "died").iterdir()} == {seen.run["runId"] for seen in runs}
    for seen in runs:
        assert (seen.run["status"], seen.run["degraded"], seen.run["verdict"]) == ("SUCCESS", None, reference.run["verdict"]), seen
        assert seen.calls == reference.calls, seen.plan
        again = doubled(seen.tools, reference.tools) + doubled(seen.asked, reference.asked)
        assert again.total() <= 1, (seen.plan, again)
    # Each stage died once with its answer in hand: so a call that is paid again would be seen here.
    assert set().union(*(doubled(seen.asked, reference.asked) for seen in runs)) == set(reference.asked)
