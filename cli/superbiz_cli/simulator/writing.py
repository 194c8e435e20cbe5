"""The files of a simulated world: those of any world, and series whose values share their times."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from superbiz.adapters.snapshot.writing import (
    LOGS,
    TRACES,
    compact,
    series_line,
    write_json,
    write_lines,
    write_log_lines,
    write_runbooks,
    write_spans,
)
from superbiz.domain.values import iso
from superbiz_cli.simulator.meters import Row

__all__ = ["LOGS", "TRACES", "compact", "write_json", "write_log_lines", "write_runbooks", "write_series", "write_spans"]


def write_series(file: Path, rows: Iterable[Row], times: Sequence[datetime], period: int) -> None:
    """One series a line; their times are spelled once."""
    spelled = compact([iso(t) for t in times])
    write_lines(file, (series_line(_head(row, period), spelled, row.values) for row in rows))


def _head(row: Row, period: int) -> dict[str, object]:
    return {"namespace": row.namespace, "metric_name": row.metric_name, "dimensions": row.dimensions, "stat": row.stat, "period": period,
            "unit": row.unit}  # fmt: skip
