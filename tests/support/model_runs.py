"""A model that plays its stages, and runs over it: the model engine, the real recorder and tools, a scripted endpoint over real HTTP."""

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from superbiz import wiring
from superbiz.adapters.model_endpoint import ModelEndpoint, Prices
from superbiz.adapters.redaction import SecretRedactor
from superbiz.adapters.snapshot import SnapshotSource
from superbiz.domain import ids
from superbiz.domain.runs import EngineName
from superbiz.domain.values import JsonObject
from superbiz.engines.model import Limits, model_engine
from superbiz.engines.offline.verifier import OfflineVerifier
from superbiz.ports import Brief, Engine, Execution, Ports, Toolbox, ToolboxOrder
from superbiz.settings import Settings
from superbiz.tools.list_changes import ListChanges
from superbiz.tools.query_logs import QueryLogs
from superbiz.tools.recorder import RecordingToolbox
from support.builders import LOG_LINES, NOW, QUERY, RUN_ID, WINDOW, build_binding, build_claim, build_output, build_run
from support.clock import TestClock
from support.model_server import Answer, ModelServer, chat
from support.scripted import ScriptedEngine

KEY = "fake-key-for-tests-only"
RUN = build_run(engine=EngineName.MODEL)
LOGS_ID, CHANGES_ID = (ids.invocation_id(RUN_ID, 1, seq) for seq in (1, 2))
NOISE = tuple(f"2026-07-08 23:0{n}:10 INFO order-service GET /orders/{n}17 answered 200 in 12 ms" for n in range(5))
DEPLOY = "order-service v2.4.1: maximumPoolSize from 50 to 5"
Says = Answer | JsonObject | Callable[[JsonObject], Answer]


def stage_of(request: JsonObject) -> str:
    """Which stage asks, told by the schema's name, or where no schema is sent by what the prompt asks for."""
    name = request.get("response_format", {}).get("json_schema", {}).get("name")
    if name:
        return str(name)
    prompt = request["messages"][0]["content"]
    if '"claim_checks"' in prompt:
        return "verification"
    return "action" if '"keep_claim_ids"' in prompt else "composition"


def plays(**stages: Says) -> Callable[[JsonObject], Answer]:
    """A model: one answer a stage, given or made from the request. Stages left out are played well."""
    parts: dict[str, Says] = {"action": finishing(), "verification": verification(), "composition": composition()} | stages
    parts.setdefault("finish", parts["action"])
    return lambda request: _answer(parts[stage_of(request)], request)


def plays_over_errors(**stages: Says) -> Callable[[JsonObject], Answer]:
    """The same where the first findings' claim is about the errors that order-service counts."""
    told = "Errors of `order-service` rose"
    return plays(**({"composition": composition(conclusion=f"{told}. [1]", root_cause=[f"{told} [1]"])} | stages))


def in_turn(*said: Says) -> Callable[[JsonObject], Answer]:
    """One after another; the last stays."""
    left = list(said)
    return lambda request: _answer(left.pop(0) if len(left) > 1 else left[0], request)


def _answer(said: Says, request: JsonObject) -> Answer:
    if isinstance(said, Answer):
        return said
    return said(request) if callable(said) else chat(said)


def finishing(*claims: JsonObject, keep: tuple[str, ...] = ("c1",), **fields: Any) -> JsonObject:
    """A finish that keeps the first findings' claim and adds these."""
    cause = {
        "resource": "order-service",
        "operation": None,
        "fault_category": "RESOURCE_EXHAUSTION",
        "score": 0.9,
        "claim_ids": [*keep, *(c["claim_id"] for c in claims)],
    }
    defaults = {
        "conclusion": "root_cause",
        "causes": [cause],
        "ruled_out": [],
        "not_checked": [],
        "keep_claim_ids": list(keep),
        "claims": list(claims),
        "open_questions": [],
        "answer": "The pool ran dry.",
    }
    return {"thought": "enough", "calls": [], "finish": defaults | fields}


def calling(*calls: tuple[str, JsonObject]) -> JsonObject:
    return {"thought": "look", "calls": [{"tool": tool, "arguments": arguments} for tool, arguments in calls], "finish": None}


def said_claim(claim_id: str = "m1", **fields: Any) -> JsonObject:
    """By default a true claim about the second log line. `cited` changes its citation."""
    cited = {
        "invocation_id": LOGS_ID,
        "raw_path": "$.logs[1]",
        "evidence_excerpt": "23:05:31 ERROR order-service POST /orders answered 503",
    }
    defaults = {
        "claim_id": claim_id,
        "claim_text": "order-service POST /orders answered 503 at 23:05:31",
        "claim_type": "observation",
        "critical": True,
        "evidence": [cited | fields.pop("cited", {})],
    }
    return defaults | fields


def verification(*checks: JsonObject, **fields: Any) -> JsonObject:
    defaults = {
        "claim_checks": list(checks) or [supported("c1"), supported("m1")],
        "facts_checked": [{"claim_id": "c1", "fact": "no connection", "critical": True, "result": "SUPPORTED"}],
        "rationale": "the cited lines state it",
        "critical_fact_count": 1,
        "groundedness_score": 1.0,
        "verdict": "PASS",
    }
    return defaults | fields


def supported(claim_id: str, **fields: Any) -> JsonObject:
    return {"claim_id": claim_id, "reason": "the line says so", "result": "SUPPORTED", "expressible": "FULL"} | fields


def composition(**fields: Any) -> JsonObject:
    defaults = {
        "conclusion": "`order-service` could not obtain a database connection at 23:05:28. [1]",
        "root_cause": ["`order-service` could not obtain a database connection at 23:05:28 [1]"],
        "evidence": [],
    }
    return defaults | fields


def first_findings(brief: Brief, tools: Toolbox) -> Execution:
    """An offline Executor's part: it asks the logs, and states the one claim that they carry."""
    call = tools.call("query_logs", {"levels": ["ERROR"]})
    output = build_output(build_claim(evidence=(build_binding(call),)), run_id=brief.run.run_id, round=brief.round)
    return Execution(raw=output.model_dump_json())


def build_world(folder: Path, lines: tuple[str, ...] = LOG_LINES, message: str = DEPLOY) -> Path:
    """A small incident world with logs and one change."""
    about = {
        "schema": "world/1",
        "id": "small",
        "region": "eu-west-1",
        "account": "111122223333",
        "now": "2026-07-08T23:15:00Z",
        "window": {"start": "2026-07-08T22:30:00Z", "end": "2026-07-08T23:08:00Z"},
        "source": {"name": "made here", "licence": "Apache-2.0"},
    }
    (folder / "world.json").write_text(json.dumps(about))
    with gzip.open(folder / "logs.jsonl.gz", "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(_log_row(n, line)) + "\n" for n, line in enumerate((*lines, *NOISE)))
    deploy = {"time": "2026-07-08T23:01:12Z", "source": "deploy", "name": "deploy", "resource": "order-service", "actor": "ci"}
    (folder / "events.json").write_text(json.dumps([deploy | {"message": message}]))
    return folder


def _log_row(n: int, line: str) -> JsonObject:
    return {"log_group": "/aws/ecs/order-service", "log_stream": "task-1", "timestamp": 1_783_551_928_000 + n * 3_000, "message": line}


def build_brief(**fields: Any) -> Brief:
    defaults: dict[str, Any] = {
        "run": RUN,
        "round": 1,
        "query": QUERY,
        "alarm": None,
        "history": (),
        "now": NOW,
        "window": WINDOW,
        "retry": None,
        "kept": None,
        "step_index": 1,
    }
    return Brief(**(defaults | fields))


def redactor(run_id: str) -> SecretRedactor:
    return SecretRedactor(run_id.encode())


def build_client(server: ModelServer, **fields: Any) -> ModelEndpoint:
    """An endpoint that never sleeps."""
    defaults: dict[str, Any] = {"timeout": 5.0, "prices": Prices(1.0, 10.0), "sleep": lambda _seconds: None, "jitter": lambda: 0.0}
    return ModelEndpoint(server.base_url, "some-model", lambda: KEY, **(defaults | fields))


def build_model_ports(
    server: ModelServer,
    world: Path,
    *,
    offline: Engine | None = None,
    limits: Limits | None = None,
    ledger: Any = None,
    clock: TestClock | None = None,
    **endpoint: Any,
) -> Ports:
    """In-process ports whose engine is the model engine over `server`; the offline engine behind it makes one true claim."""
    clock = clock or TestClock()
    ports = replace(wiring.in_process(SnapshotSource(world), Settings()), clock=clock, **({"ledger": ledger} if ledger else {}))
    acting = ScriptedEngine(execute=first_findings)
    standing_in = offline or Engine(EngineName.OFFLINE, acting, OfflineVerifier(), acting)
    client = build_client(server, **endpoint)
    tools: Mapping[str, Any] = {"query_logs": QueryLogs(), "list_changes": ListChanges()}

    def toolbox(order: ToolboxOrder) -> Toolbox:
        run, clean = order.run, redactor(order.run.run_id)
        return RecordingToolbox(run, order.step_index, order.round, tools, order.source, ports.ledger, clean, clock, None, order.limits)

    engine = model_engine(client, ports.ledger, clock, standing_in, limits=limits or Limits(), redactor=redactor)
    return replace(ports, toolbox=toolbox, engine=lambda run: standing_in if run.degraded else engine, offline=lambda: standing_in)
