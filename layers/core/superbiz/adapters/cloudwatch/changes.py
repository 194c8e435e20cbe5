"""Changes and platform events of a live account: every service that keeps some is asked, and one that refuses does not hide the others."""

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from superbiz.adapters.cloudwatch.asking import Asked
from superbiz.adapters.cloudwatch.catalog import Resource
from superbiz.adapters.cloudwatch.cluster_events import cluster_events
from superbiz.adapters.cloudwatch.fleet import ecs, scaling
from superbiz.adapters.cloudwatch.platform_events import codedeploy, health, rds
from superbiz.adapters.cloudwatch.session import Clients, Found
from superbiz.adapters.cloudwatch.targets import targets
from superbiz.adapters.cloudwatch.trail import trail
from superbiz.domain.observations import Change
from superbiz.domain.values import Window
from superbiz.ports import SourceUnavailable

UNREAD = "could not read "
# None is the answer of a reader that has nothing to ask about.
READERS: tuple[Callable[[Asked], Found[Change] | None], ...] = (trail, rds, ecs, scaling, codedeploy, health, cluster_events)


def changes(
    clients: Clients,
    window: Window,
    resources: Iterable[Resource | str],
    *,
    now: datetime | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Found[Change]:
    """By time. `resources` is what the run is about, as metrics name it or by bare names.

    A service that refuses is told in `partial`, with the action that is missing. Raises SourceUnavailable where none could be read.
    """
    asked = Asked(clients, window, targets(resources), now or datetime.now(UTC), sleep)
    read: list[Found[Change]] = []
    refused: list[SourceUnavailable] = []
    for reader in READERS:
        try:
            found = reader(asked)
        except SourceUnavailable as e:
            refused.append(e)
        else:
            read += [found] if found is not None else []
    if not any(found.rows or not found.notes for found in read):  # a note alone says that there was nothing to read
        raise _none_of(refused)
    rows = sorted((row for found in read for row in found.rows if window.holds(row.time)), key=lambda r: (r.time, r.source, r.name))
    partial = [sentence for found in read for sentence in found.partial]
    return Found(tuple(rows), (*partial, *(f"{UNREAD}{e}" for e in refused)), tuple(note for found in read for note in found.notes))


def _none_of(refused: list[SourceUnavailable]) -> SourceUnavailable:
    codes = {e.code for e in refused}
    return SourceUnavailable("changes", "; ".join(dict.fromkeys(e.why for e in refused)), codes.pop() if len(codes) == 1 else "UNAVAILABLE")
