"""One secret of each kind in every channel: none is stored, told, or shown to a model."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench import redaction_values as drawn

from superbiz import wiring
from superbiz.adapters.redaction import PLACEHOLDER
from superbiz.adapters.snapshot import SnapshotSource
from superbiz.domain.incidents import Outcome
from superbiz.domain.runs import EngineName
from superbiz.flow.running import run_in_process
from superbiz.ports import Ports
from superbiz.services import asking, evaluating, intake
from superbiz.services.asking import Question
from superbiz.services.intake import Delivery
from superbiz.settings import Settings
from support import worlds
from support.model_runs import calling, finishing, in_turn, plays
from support.model_server import ModelServer

CHANNELS = ("log", "alarm", "tag", "change", "runbook", "attribute", "question", "history", "keyed")


def planted(channel: str) -> dict[str, str]:
    """Kind to secret, drawn anew for each channel."""
    r = random.Random(channel)
    tokens = {kind: make(r) for kind, make in drawn.TOKENS.items() if not kind.startswith("private key")}
    bodies = {"private key": drawn.draw(r, drawn.ALNUM, 64)}
    people = {
        "email": drawn.mail(r),
        "card": drawn.card(r),
        "iban": drawn.iban(r),
        "phone": "+1 " + "-".join((drawn.draw(r, "23456789", 3),) * 2) + "-4827",
    }
    return tokens | bodies | people | {"password": "Copper" + drawn.draw(r, drawn.ALNUM, 8)}


def told(channel: str) -> str:
    """All of a channel's secrets in one text."""
    found = planted(channel)
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{found.pop('private key')}\n-----END RSA PRIVATE KEY-----"
    word = found.pop("password")
    return " ; ".join((f"password={word}", *found.values(), key))


def secrets() -> list[str]:
    return [value for channel in CHANNELS for value in planted(channel).values()]


def leaks(text: str) -> list[str]:
    return [value for value in secrets() if value in text or json.dumps(value)[1:-1] in text]


def spoiled() -> worlds.Files:
    files = worlds.healthy_world()
    event = worlds.alarm_event()
    event["detail"]["state"]["reason"] += " " + told("alarm")
    at = worlds.END.isoformat().replace("+00:00", "Z")
    change = {
        "time": at,
        "source": "deploy",
        "name": "Deploy",
        "resource": worlds.ORDERS,
        "actor": "ci",
        "message": f"release notes: {told('change')}",
    }
    lines = [worlds.one_line(f"ERROR pool exhausted {told('log')}") for _ in range(3)]
    span = worlds.one_span(
        worlds.ORDERS, "POST /orders", error=True, attributes={"note": told("attribute"), "password": planted("keyed")["password"]}
    )
    services = files[worlds.MAP]["services"]
    services[1] |= {"tags": {"owner": told("tag")}}
    return files | {
        "trigger.json": event,
        worlds.LOGS: files[worlds.LOGS] + lines,
        worlds.TRACES: [*files[worlds.TRACES], span],
        "events.json": [change],
        "knowledge/pool.md": f"# order-service pool exhausted\n\nerror connection pool\n\n{told('runbook')}\n",
    }


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as found:
        yield found


def ports_over(folder: Path, engine: EngineName, server: ModelServer | None = None) -> Ports:
    source = SnapshotSource(worlds.write_world(folder, spoiled()))
    given = Settings(engine=engine, model_base_url=server.base_url if server else "", model_name="some-model")
    return wiring.in_process(source, given)


def stored(ports: Ports, *run_ids: str) -> str:
    """Everything that ledger, objects, queue and notifier hold; the views are made of it."""
    parts: list[Any] = [
        vars(ports.ledger._store),
        vars(ports.queue),
        vars(ports.notifier),
        getattr(ports.objects, "_objects", vars(ports.objects)),
    ]  # type: ignore[attr-defined]
    for run_id in run_ids:
        file = ports.ledger.file(run_id)
        assert file is not None
        parts += [file, *(bytes(data).decode() for data in file.outputs.values())]
    return "\n".join(map(repr, parts)) + "\n".join(str(p) for p in parts if isinstance(p, str))


def end(run_id: str, ports: Ports) -> None:
    run_in_process(run_id, ports)
    evaluating.evaluate(run_id, ports)


@pytest.mark.parametrize("engine", [EngineName.OFFLINE, EngineName.MODEL])
def test_what_is_planted_in_any_channel_is_nowhere_stored_nor_sent(tmp_path: Path, server: ModelServer, engine: EngineName) -> None:
    calls = [("query_logs", {}), ("list_changes", {}), ("query_traces", {}), ("lookup_knowledge", {"query": "pool exhausted"})]
    server.model = plays(action=in_turn(calling(*calls), finishing(keep=(), conclusion="inconclusive", causes=[])))
    ports = ports_over(tmp_path, engine, server)
    first = asking.ask(Question(question=f"Why does order-service fail? {told('history')}"[:2000]), ports)
    end(first.run_id, ports)
    asked = asking.ask(Question(question=f"And the pool? {told('question')}"[:2000], sessionId=first.session_id), ports)
    end(asked.run_id, ports)
    body = json.dumps(spoiled()["trigger.json"])
    (row,) = intake.take_in(Delivery("m-1", ports.clock.now(), body), ports)
    assert row.outcome is Outcome.OPENED
    assert row.run_id
    end(row.run_id, ports)
    everything = stored(ports, first.run_id, asked.run_id, row.run_id)
    assert leaks(everything) == []
    assert leaks(json.dumps(server.requests, ensure_ascii=False)) == []
    assert len(set(PLACEHOLDER.findall(everything))) > 100  # they were there to be found
    assert bool(server.requests) is (engine is EngineName.MODEL)
