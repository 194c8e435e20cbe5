"""Requests to the table for a whole run of the demo's incident, against one write for each fact that it records."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from moto import mock_aws

from bench.rows import Row
from superbiz import wiring
from superbiz.adapters.snapshot import SnapshotSource
from superbiz.domain.runs import EngineName, Session
from superbiz.flow import run_in_process
from superbiz.services import evaluating
from superbiz.settings import Settings
from superbiz_cli.simulator.demo import write_demo_world
from superbiz_cli.worlds import opened
from support.tables import Bench, counted

BOUND = 1.2


def measure() -> Iterator[Row]:
    """The floor: the run opened and closed, each step taken and ended, each call, the evaluation; a transaction counts once."""
    with tempfile.TemporaryDirectory() as folder, mock_aws():
        world = Path(folder) / "demo"
        write_demo_world(world)
        source = SnapshotSource(world)
        table = Bench()
        ports = wiring.over(source, table.ledger, table.objects, Settings())
        run, request = opened(source, EngineName.OFFLINE, ports)
        requests = counted(table.ledger)
        ports.ledger.open_run(run, request, Session(session_id=run.session_id, last_active_at=run.created_at))
        run_in_process(run.run_id, ports)
        evaluating.evaluate(run.run_id, ports)
        made, reads = requests.total(), requests["Query"] + requests["GetItem"]
        told = ", ".join(f"{name} {n}" for name, n in sorted(requests.items()))
        steps, calls = len(ports.ledger.steps(run.run_id)), len(ports.ledger.invocations(run.run_id))
        requests.clear()
        ports.ledger.trace(run.run_id, None)
        page = requests.total()
    facts = 1 + 2 * steps + calls + 1 + 1
    yield Row(f"requests a run ({told})", made, "")
    yield Row(f"writes against facts ({facts})", (made - reads) / facts, "x", BOUND)
    yield Row(f"all requests against facts ({facts})", made / facts, "x", BOUND)
    yield Row("requests a trace page", page, "", 1)
