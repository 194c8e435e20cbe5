"""Worlds diagnosed in this process, by the thousand where need be: the report, and the picture that its conclusion was decided on."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from bench.scoring import Scored, score
from bench.without import Without
from superbiz import wiring
from superbiz.adapters.snapshot import SnapshotSource, rows
from superbiz.analysis import deciding
from superbiz.analysis.deciding import Picture
from superbiz.domain.runs import EngineName, Session
from superbiz.flow import run_in_process
from superbiz.settings import Settings
from superbiz_cli.worlds import opened

PROCESSES = 2
FEW = 8  # cases for which no process is started


class Case(NamedTuple):
    """A world with its truth. `group` is what its set is split by: a metric, a day. `kind` tells recorded worlds from made ones."""

    set_name: str
    world: str
    folder: Path
    truth: dict[str, Any]
    group: str = ""
    kind: str = "recorded"


class Outcome(NamedTuple):
    """What came of a case without some parts. `reason` names the rule that decided; an error leaves no report."""

    case: Case
    without: tuple[str, ...]
    report: dict[str, Any] | None
    picture: Picture | None
    reason: str
    error: str = ""

    @property
    def scored(self) -> Scored:
        """The report against the truth."""
        return score(self.case.world, self.case.truth, self.report)


def outcomes(cases: Sequence[Case], lacking: Sequence[tuple[str, ...]] = ((),)) -> list[Outcome]:
    """Every case without each of the parts in turn, on two processes, in the order asked for."""
    asked = [(case, without) for case in cases for without in lacking]
    if len(asked) < FEW:
        return [*map(_outcome, asked)]
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        return list(pool.map(_outcome, asked, chunksize=4))


def _outcome(asked: tuple[Case, tuple[str, ...]]) -> Outcome:
    case, without = asked
    try:
        report, picture, reason = diagnose(case.folder, without)
    except Exception as e:  # a world that fails is a wrong answer, not the end of the measurement
        return Outcome(case, without, None, None, "failed", f"{type(e).__name__}: {e}")
    return Outcome(case, without, report, picture, reason)


def diagnose(folder: Path, without: Iterable[str] = ()) -> tuple[dict[str, Any], Picture | None, str]:
    """(report, picture, reason of the rule that decided), by the same chain as `superbiz diagnose`."""
    with _series_read_once(), _decisions() as seen:
        world = SnapshotSource(folder)
        ports = wiring.in_process(Without(world, without), Settings())
        run, request = opened(world, EngineName.OFFLINE, ports)
        ports.ledger.open_run(run, request, Session(session_id=run.session_id, last_active_at=run.created_at))
        run_in_process(run.run_id, ports)
        record = ports.ledger.record(run.run_id)
    if record is None or record.report is None:
        raise RuntimeError(f"{folder.name} left no report")
    picture, reason = seen[-1] if seen else (None, "not seen")
    return dict(record.report), picture, reason


@contextmanager
def _decisions() -> Iterator[list[tuple[Picture, str]]]:
    """What is decided meanwhile, and by which rule."""
    seen: list[tuple[Picture, str]] = []
    decide = deciding.decide

    def watched(picture: Picture) -> Any:
        rule = decide(picture)
        seen.append((picture, rule.reason))
        return rule

    with patch.object(deciding, "decide", watched):
        yield seen


@lru_cache(maxsize=4)
def _read_series(file: Path) -> Any:
    return _READ_SERIES(file)


_READ_SERIES = rows.read_series


@contextmanager
def _series_read_once() -> Iterator[None]:
    """Worlds share their normal period, which is large: it is parsed once a process."""
    with patch.object(rows, "read_series", lambda file: _read_series(file.resolve())):
        yield
