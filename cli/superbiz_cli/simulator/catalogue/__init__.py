"""The catalogue: incidents of every kind that the investigator must tell apart, and quiet hours that look like one.

One function a world. Its docstring tells what happens, what a good engineer concludes, and why.
"""

from collections.abc import Mapping
from inspect import getdoc
from pathlib import Path

from superbiz_cli.simulator import scenario, writing
from superbiz_cli.simulator.catalogue import (
    cloud,
    cluster,
    database_limits,
    database_work,
    dependencies,
    kubernetes,
    quiet,
    rollouts,
    saturation,
    serverless,
    unclear,
)
from superbiz_cli.simulator.catalogue.story import Story, Teller, Truth

_TELLERS: tuple[Teller, ...] = (
    database_limits.connections_leaked,
    database_limits.storage_full,
    database_limits.storage_full_unmeasured,
    database_limits.burst_spent,
    database_limits.failed_over,
    database_work.replica_lag,
    database_work.metadata_lock,
    database_work.slow_query,
    dependencies.provider_down,
    dependencies.password_rotated,
    dependencies.certificate_expired,
    dependencies.names_unresolved,
    saturation.cpu_saturated,
    saturation.out_of_memory,
    saturation.traffic_surge,
    saturation.queue_backlog,
    rollouts.deploy_regression,
    rollouts.deploy_regression_unmapped,
    rollouts.two_faults,
    kubernetes.crash_loop,
    kubernetes.image_missing,
    kubernetes.probe_too_strict,
    cluster.unschedulable,
    cluster.node_lost,
    serverless.table_throttled,
    serverless.cold_starts,
    cloud.credits_spent,
    cloud.cache_emptied,
    cloud.port_closed,
    cloud.concurrency_reserved,
    cloud.zone_lossy,
    quiet.tight_alarm,
    quiet.recovered,
    quiet.healthy_rollout,
    quiet.batch_window,
    quiet.noisy_healthy,
    unclear.edge_only,
    unclear.twin_rollouts,
)
CATALOGUE: Mapping[str, Teller] = {teller().scenario.id: teller for teller in _TELLERS}


def notes(name: str) -> str:
    """What happens in a world and what is to be concluded, on one line."""
    return " ".join((getdoc(CATALOGUE[name]) or "").split())


def write_all(folder: Path, seed: int) -> None:
    """Every world, and `truth.json` beside them."""
    told = {name: teller() for name, teller in CATALOGUE.items()}
    for name, story in told.items():
        scenario.write(folder / name, story.scenario, seed)
    writing.write_json(folder / "truth.json", {name: story.truth.as_row(notes(name)) for name, story in told.items()})


__all__ = ["CATALOGUE", "Story", "Truth", "notes", "write_all"]
