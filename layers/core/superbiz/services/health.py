"""What is configured, and what answers. Each part is tried once; one that does not answer never hides the others."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from superbiz.domain.runs import EngineName
from superbiz.errors import SuperBizError
from superbiz.ports import Ports

NO_RUN = "run-00000000-0000-0000-0000-000000000000"
NO_OBJECT = "health/none"


class Part(NamedTuple):
    """`reachable` is None where the part was not tried, `detail` says why it is not reached or what is used instead."""

    configured: bool
    reachable: bool | None
    detail: str = ""


def check(ports: Ports) -> Mapping[str, Part]:
    """By part: table, objects, state machine, model, vector index, evidence."""
    given = ports.settings
    return {
        "table": _tried(given.table_name, ports.ledger.control),
        "objects": _tried(given.bucket_name, lambda: ports.objects.get(NO_OBJECT)),
        "stateMachine": _tried(given.state_machine_arn, lambda: ports.machine.describe(NO_RUN)),
        "model": _model(ports),
        "vectorIndex": _remote(given.milvus_uri, ports) if given.milvus_uri else Part(False, None, "exact search over the stored chunks"),
        "evidence": Part(bool(given.world_dir), None, "a recorded world" if given.world_dir else "the account and region of each alarm"),
    }


def status(parts: Mapping[str, Part]) -> str:
    """`down` without the table; `degraded` where another configured part does not answer; else `ok`."""
    silent = [name for name, part in parts.items() if part.reachable is False]
    return "ok" if not silent else "down" if "table" in silent else "degraded"


def _model(ports: Ports) -> Part:
    if ports.settings.engine is EngineName.OFFLINE:
        return Part(False, None, "the offline engine needs none")
    if not ports.settings.model_base_url:
        return Part(False, None, "ENGINE is model, and MODEL_BASE_URL is empty: runs are done by the offline engine")
    return _remote(ports.settings.model_base_url, ports)


def _remote(uri: str, ports: Ports) -> Part:
    if ports.reach is None:
        return Part(True, None)
    why_not = ports.reach(uri)
    return Part(True, why_not is None, why_not or "")


def _tried(name: str, attempt: Callable[[], object]) -> Part:
    if not name:
        return Part(False, None)
    try:
        attempt()
    except SuperBizError as e:
        return Part(True, False, e.message)
    return Part(True, True)
